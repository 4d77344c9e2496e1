import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Icon } from '#client/ui/icon.tsx';
import type { PluginReview } from '#shared/contract/plugins.ts';
import { PLUGIN_READS, REQUEST_KINDS } from '#shared/plugins.ts';

type RequestKind = (typeof REQUEST_KINDS)[number];
type Request = Pick<PluginReview['requests'][number], 'kind' | 'value' | 'credits'> & { readonly new?: boolean };
/** Requests of one kind. */
export interface RequestGroup {
  readonly kind: RequestKind;
  readonly values: readonly { readonly text: string; readonly isNew: boolean }[];
  readonly credits: number | null;
  /** Whether some of it was not granted before. */
  readonly isNew: boolean;
}
const ICONS = {
  credits: 'wallet',
  client: 'globe',
  events: 'zap',
  reads: 'user',
  hosts: 'link',
  endpoints: 'plug',
  storage: 'archive',
  mail: 'mail',
  notifications: 'bell',
} as const;

/** Requests by their kinds, in the order of kinds. */
export function useRequestGroups(requests: readonly Request[]): readonly RequestGroup[] {
  const t = useT('plugins');
  const textOf = (kind: RequestKind, value: string): string => {
    const read = PLUGIN_READS.find((each) => kind === 'reads' && each === value);
    return read ? t(`reads.${read}`) : value;
  };
  return REQUEST_KINDS.flatMap((kind) => {
    const own = requests.filter((each) => each.kind === kind);
    if (own.length === 0) return [];
    return {
      kind,
      values: own.flatMap(({ value, new: isNew = false }) =>
        value === null ? [] : [{ text: textOf(kind, value), isNew }],
      ),
      credits: own[0]?.credits ?? null,
      isNew: own.some((each) => each.new),
    };
  });
}

/** What a kind of request means, with its values. */
export function RequestText({ group, identifier }: { group: RequestGroup; identifier: string }): ReactNode {
  const t = useT('plugins');
  return (
    <>
      <span className="sp-plugins__hint">{t(`kindText.${group.kind}`, { identifier })}</span>
      {group.values.length > 0 && (
        <span className="sp-plugins__values">
          {group.values.map(({ text, isNew }) =>
            group.kind === 'reads' ? (
              <span key={text}>{text}</span>
            ) : (
              <code key={text} data-new={isNew || undefined}>
                {text}
              </code>
            ),
          )}
        </span>
      )}
    </>
  );
}

/** What a plugin was granted, as a list. */
export function GrantList({ requests, identifier }: { requests: readonly Request[]; identifier: string }): ReactNode {
  const t = useT('plugins');
  const format = useFormat();
  const groups = useRequestGroups(requests);
  if (groups.length === 0) return <p className="sp-muted">{t('mayNothing')}</p>;
  return (
    <ul className="sp-plugins__grants">
      {groups.map((group) => (
        <li key={group.kind}>
          <Icon name={ICONS[group.kind]} />
          <div>
            <b>{t(`kind.${group.kind}`)}</b>
            {group.credits !== null && (
              <span className="sp-muted">
                {' '}
                {t('budget')}: {format.number(group.credits)}
              </span>
            )}
            <RequestText group={group} identifier={identifier} />
          </div>
        </li>
      ))}
    </ul>
  );
}

/** What the sandbox keeps a plugin from, and what it does not. */
export function Isolation(): ReactNode {
  const t = useT('plugins');
  return (
    <>
      <p>{t('apartText')}</p>
      <p className="sp-muted">{t('apartLimits')}</p>
    </>
  );
}
