import { useState } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Checkbox } from '#client/ui/choice.tsx';
import { Dialog } from '#client/ui/dialog.tsx';
import { MASK, isSecret, isSettingKey, type SettingKey } from '#shared/settings.ts';
import { differenceOfTexts } from './difference.ts';
import { ChangeItem } from './diff.tsx';
import { rowOf } from './form.ts';
import { ReachNote } from './reach-note.tsx';
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
  const { differences, reach, reviewed } = answer;
  const title = t('reviewTitle', { count: differences.length });
  const [sure, setSure] = useState(false);
  const asking = differences.some(({ key }) => isSettingKey(key) && rowOf(key).asks);
  const save = (
    <Button type="submit" name="_intent" value="save" variant="primary" disabled={hydrated && asking && !sure}>
      {t('save', { count: differences.length })}
    </Button>
  );
  const body = (
    <div className="sp-stack">
      <input type="hidden" name="_reviewed" value={reviewed} />
      <Changes differences={differences} texts={texts} />
      {reach && (
        <ReachNote
          reach={reach}
          url={textAfter(differences, 'app_url')}
          proxies={textAfter(differences, 'trusted_proxies') !== null}
        />
      )}
      {asking && (
        <Checkbox name="confirmed" onChange={(event) => setSure(event.currentTarget.checked)}>
          {t('confirm')}
        </Checkbox>
      )}
    </div>
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

/** What a text becomes; null where it stays. */
function textAfter(differences: ReviewAnswer['differences'], key: SettingKey): string | null {
  const found = differences.find((each) => each.key === key);
  return found ? String(found.after) : null;
}

/** Differences as a list. */
export function Changes({
  differences,
  texts,
}: {
  differences: ReviewAnswer['differences'];
  texts: SettingTexts;
}): ReactNode {
  const t = useT('staffSettings');
  const afterText = (key: SettingKey, after: ReviewAnswer['differences'][number]['after']): string =>
    isSecret(key) && after === MASK ? t('secretNew') : texts.valueText(key, after);
  return (
    <ul className="sp-set-changes">
      {differences.map(({ key, before, after, affected }) =>
        isSettingKey(key) ? (
          <ChangeItem
            key={key}
            settingKey={key}
            before={texts.valueText(key, before)}
            after={afterText(key, after)}
            lines={differenceOfTexts(key, before, after)}
            affected={affected}
            texts={texts}
          />
        ) : null,
      )}
    </ul>
  );
}
