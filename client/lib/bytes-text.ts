import { useFormat } from './i18n.tsx';

const KILOBYTE = 1024;
const MEGABYTE = 1024 ** 2;

/** Bytes as they are read: 84 KB, 412 MB, 2.4 GB. */
export function useBytesText(): (bytes: number) => string {
  const format = useFormat();
  return (bytes) =>
    bytes < MEGABYTE
      ? `${format.number(Math.ceil(bytes / KILOBYTE))} KB`
      : format.memory(Math.round((bytes / MEGABYTE) * 10) / 10);
}
