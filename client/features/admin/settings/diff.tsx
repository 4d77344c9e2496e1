import type { ReactNode } from 'react';
import type { DifferenceLine } from '#client/lib/difference.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Difference } from '#client/ui/difference.tsx';
import { Icon } from '#client/ui/icon.tsx';
import type { AffectedCount } from '#shared/setting-effects.ts';
import type { SettingKey } from '#shared/settings.ts';
import { rowOf } from './form.ts';
import type { SettingTexts } from './texts.ts';

/** From what to what, read out in words. */
export function Diff({ before, after }: { before: string; after: string }): ReactNode {
  const t = useT('staffSettings');
  return (
    <span className="sp-set-diff">
      <span className="sp-sr">{t('before')} </span>
      <del>{before}</del>
      <Icon name="arrow-right" size="sm" />
      <span className="sp-sr">{t('after')} </span>
      <ins>{after}</ins>
    </span>
  );
}

interface ChangeItemProps {
  readonly settingKey: SettingKey;
  readonly before: string;
  readonly after: string;
  /** What changes in a long text, line by line. */
  readonly lines?: readonly DifferenceLine[];
  /** Whom it affects at once. */
  readonly affected?: AffectedCount | null;
  readonly texts: SettingTexts;
}

/** A change of a setting in a list: its name and group, from what to what, whom it affects, why it is asked about. */
export function ChangeItem(props: ChangeItemProps): ReactNode {
  const { settingKey: key, before, after, lines = [], affected = null, texts } = props;
  return (
    <li>
      <div className="sp-set-changes__top">
        <b>{texts.label(key)}</b>
        <span className="sp-meta">{texts.group(rowOf(key).group)}</span>
      </div>
      <Diff before={before} after={after} />
      {lines.length > 0 && <Difference label={texts.label(key)} lines={lines} />}
      {affected && (
        <p className="sp-set-changes__who">
          <Icon name="users" size="sm" />
          {texts.affects(affected)}
        </p>
      )}
      {rowOf(key).asks && (
        <p className="sp-set-changes__why">
          <Icon name="alert" size="sm" />
          {texts.asks(key)}
        </p>
      )}
    </li>
  );
}
