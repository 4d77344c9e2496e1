import type { ResourceKind } from '#shared/constants.ts';
import { useT } from './i18n.tsx';

/** The unit behind the field of a resource: `MB`, in French `Mo`, or `%`; '': it is simply counted. */
export function useUnitText(): (kind: ResourceKind) => string {
  const t = useT('ui');
  return (kind) => (kind === 'memory' || kind === 'disk' ? t('unitMb') : kind === 'cpu' ? '%' : '');
}
