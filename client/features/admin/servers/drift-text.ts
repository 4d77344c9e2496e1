import { useLooseT } from '#client/lib/i18n.tsx';

/** Texts of what differs: the detail of a `differs` is a list of codes. */
export function useDriftText(): { differs: (detail: string) => string } {
  const loose = useLooseT('staffServers');
  return {
    differs: (detail) =>
      detail
        .split(', ')
        .map((code) => loose(`difference.${code}`) || code)
        .join(', '),
  };
}
