import { useFormat } from '#client/lib/i18n.tsx';

const MB = 1024 * 1024;
/** The least that is shown, so that nothing has no size at all. */
const LEAST_MB = 0.1;

/** Bytes as people read them: `0.3 MB`, `8 MB`, `1.5 GB`. */
export function useBytes(): (bytes: number) => string {
  const format = useFormat();
  return (bytes) => {
    const mb = bytes / MB;
    if (bytes === 0 || mb >= 1024) return format.memory(mb);
    return format.memory(mb >= 10 ? Math.round(mb) : Math.max(LEAST_MB, Math.round(mb * 10) / 10));
  };
}
