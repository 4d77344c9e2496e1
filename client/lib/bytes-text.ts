import { useFormat, useT } from './i18n.tsx';

const KILOBYTE = 1024;
const MEGABYTE = 1024 ** 2;

/** Bytes as they are read: 84 KB, 412 MB, 2.4 GB, in French 84 Ko. */
export function useBytesText(): (bytes: number) => string {
  const format = useFormat();
  const t = useT('ui');
  return (bytes) =>
    bytes < MEGABYTE
      ? t('memoryKb', { value: format.number(Math.ceil(bytes / KILOBYTE)) })
      : format.memory(Math.round((bytes / MEGABYTE) * 10) / 10);
}
