import { useT } from '#client/lib/i18n.tsx';
import { areaOf, type TokenArea, type TokenScope } from '#shared/token-scopes.ts';

type Underscored<S extends string> = S extends `${infer A}.${infer B}` ? `${A}_${Underscored<B>}` : S;
type AreaKey = `area.${Underscored<TokenArea>}`;

/** Names of areas in words. */
export function useAreaName(): (area: TokenArea) => string {
  const t = useT('apiTokens');
  return (area) => t(`area.${area.replaceAll('.', '_')}` as AreaKey);
}

/** What a scope lets a token do, in words: `Users: read`. */
export function useScopeName(): (scope: TokenScope) => string {
  const t = useT('apiTokens');
  const nameOf = useAreaName();
  return (scope) => t(scope.endsWith(':write') ? 'changeOf' : 'readOf', { area: nameOf(areaOf(scope)) });
}
