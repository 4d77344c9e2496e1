import { useState } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Checkbox } from '#client/ui/choice.tsx';
import { Dialog } from '#client/ui/dialog.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { MASK, isSecret, isSettingKey, type SettingKey } from '#shared/settings.ts';
import { rowOf } from './form.ts';
import type { SettingsAnswer } from './submit.ts';
import type { SettingTexts } from './texts.ts';

type ReviewAnswer = Extract<SettingsAnswer, { kind: 'review' }>;

interface ReviewProps {
  readonly answer: ReviewAnswer;
  readonly texts: SettingTexts;
  /** Back to the form. */
  readonly onClose: () => void;
}

/** What is about to be saved, from what to what: a dialog, and without scripts a card above the form. */
export function Review({ answer, texts, onClose }: ReviewProps): ReactNode {
  const t = useT('staffSettings');
  const hydrated = useHydrated();
  const { differences, reviewed } = answer;
  const title = t('reviewTitle', { count: differences.length });
  const [sure, setSure] = useState(false);
  const asking = differences.some(({ key }) => isSettingKey(key) && rowOf(key).asks);
  const save = (
    <Button type="submit" name="_intent" value="save" variant="primary" disabled={hydrated && asking && !sure}>
      {t('save', { count: differences.length })}
    </Button>
  );
  const body = (
    <>
      <input type="hidden" name="_reviewed" value={reviewed} />
      <Changes answer={answer} texts={texts} />
      {asking && (
        <Checkbox name="confirmed" onChange={(event) => setSure(event.currentTarget.checked)}>
          {t('confirm')}
        </Checkbox>
      )}
    </>
  );
  if (!hydrated)
    return (
      <Card title={title} foot={save}>
        {body}
        {differences.some(({ key }) => isSettingKey(key) && isSecret(key)) && (
          <p className="sp-lead">{t('secretAgain')}</p>
        )}
      </Card>
    );
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      foot={
        <>
          <Button variant="ghost" onClick={onClose} data-autofocus>
            {t('keepEditing')}
          </Button>
          {save}
        </>
      }
    >
      {body}
    </Dialog>
  );
}

function Changes({ answer, texts }: Pick<ReviewProps, 'answer' | 'texts'>): ReactNode {
  return (
    <ul className="sp-set-changes">
      {answer.differences.map((difference) =>
        isSettingKey(difference.key) ? (
          <ChangeItem key={difference.key} difference={difference} settingKey={difference.key} texts={texts} />
        ) : null,
      )}
    </ul>
  );
}

interface ChangeItemProps {
  readonly settingKey: SettingKey;
  readonly difference: ReviewAnswer['differences'][number];
  readonly texts: SettingTexts;
}

function ChangeItem({ settingKey: key, difference, texts }: ChangeItemProps): ReactNode {
  const { before, after } = difference;
  const t = useT('staffSettings');
  return (
    <li>
      <div className="sp-set-changes__top">
        <b>{texts.label(key)}</b>
        <span className="sp-meta">{texts.group(rowOf(key).group)}</span>
      </div>
      <span className="sp-set-diff">
        <span className="sp-sr">{t('before')} </span>
        <del>{texts.valueText(key, before)}</del>
        <Icon name="arrow-right" size="sm" />
        <span className="sp-sr">{t('after')} </span>
        <ins>{isSecret(key) && after === MASK ? t('secretNew') : texts.valueText(key, after)}</ins>
      </span>
      {rowOf(key).asks && (
        <p className="sp-set-changes__why">
          <Icon name="alert" size="sm" />
          {texts.asks(key)}
        </p>
      )}
    </li>
  );
}
