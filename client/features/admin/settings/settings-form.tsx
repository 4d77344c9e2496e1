import { lazy, useEffect, useRef, useState } from 'react';
import type { ReactNode, RefObject } from 'react';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import { SaveBar } from '#client/ui/savebar.tsx';
import { useUnsavedWarning } from '#client/ui/unsaved.ts';
import { can } from '#shared/can.ts';
import { isSettingKey, type SettingKey } from '#shared/settings.ts';
import { changesIn } from './form.ts';
import type { SettingsData } from './load.ts';
import type { SettingsAnswer } from './submit.ts';
import type { SettingTexts } from './texts.ts';

/** Rendered by the server as well, where somebody without scripts looks at changes: it waits for it. */
const Review = lazy(async () => ({ default: (await import('./review.tsx')).Review }));

interface SettingsFormProps {
  readonly data: Pick<SettingsData, 'rows' | 'currency'>;
  readonly texts: SettingTexts;
  /** The fields. In: the keys of the settings that differ from what is stored. */
  readonly children: (changed: ReadonlySet<string>) => ReactNode;
}

/** A form of settings: looks at the changes first, then saves them; begins anew when they were saved. */
export function SettingsForm(props: SettingsFormProps): ReactNode {
  const t = useT('staffSettings');
  const answer = useActionAnswer<SettingsAnswer>();
  const [round, setRound] = useState<{ count: number; answer: unknown }>({ count: 0, answer: undefined });
  if (answer?.kind === 'saved' && answer !== round.answer) setRound({ count: round.count + 1, answer });
  return (
    <>
      {answer?.kind === 'saved' && (
        <Banner tone="positive" live>
          {t('saved', { count: answer.changed })}
        </Banner>
      )}
      {answer?.kind === 'nothing' && <Banner live>{t('nothing')}</Banner>}
      <OneForm
        key={round.count}
        {...props}
        answer={answer}
        onDiscard={() => setRound({ count: round.count + 1, answer })}
      />
    </>
  );
}

interface OneFormProps extends SettingsFormProps {
  readonly answer: SettingsAnswer | undefined;
  readonly onDiscard: () => void;
}

function OneForm({ data, texts, children, answer, onDiscard }: OneFormProps): ReactNode {
  const t = useT('staffSettings');
  const form = useRef<HTMLFormElement>(null);
  const changed = useChanged(form, data);
  const [closed, setClosed] = useState<unknown>(undefined);
  const { errors, translateError, problem } = useFormProps(answer?.kind === 'failed' ? { ...answer } : undefined);
  const values = answer?.kind === 'failed' || answer?.kind === 'review' ? answer.values : {};
  const mayEdit = can(useShell().session.permissions, 'admin.settings.edit');
  const labels = Object.fromEntries(
    Object.keys(errors)
      .filter(isSettingKey)
      .map((key: SettingKey) => [key, texts.label(key)]),
  );
  useUnsavedWarning(changed.size > 0, { bySearch: true });
  return (
    <Form errors={errors} translateError={translateError} problem={problem} values={values} labels={labels} ref={form}>
      <div className="sp-stack">
        <FormKey />
        <input type="hidden" name="_currency" value={data.currency} />
        {answer?.kind === 'review' && answer !== closed && (
          <Review answer={answer} texts={texts} onClose={() => setClosed(answer)} />
        )}
        {children(changed)}
        {mayEdit && (
          <SaveBar
            what={changed.size > 0 ? t('unsaved', { count: changed.size }) : undefined}
            idle={changed.size === 0}
          >
            <Button type="reset" variant="ghost" onClick={onDiscard}>
              {t('discard')}
            </Button>
            <Button type="submit" name="_intent" value="review" variant="primary">
              {t('review')}
            </Button>
          </SaveBar>
        )}
      </div>
    </Form>
  );
}

/** The keys of what differs from what the form was made from, as it is typed. */
function useChanged(form: RefObject<HTMLFormElement | null>, data: SettingsFormProps['data']): ReadonlySet<string> {
  const [keys, setKeys] = useState('');
  useEffect(() => {
    const element = form.current;
    if (!element) return;
    const note = (): void => {
      setKeys(
        changesIn(new FormData(element), data.currency)
          .map(({ key }) => key)
          .join(' '),
      );
    };
    note();
    element.addEventListener('input', note);
    element.addEventListener('change', note);
    return () => {
      element.removeEventListener('input', note);
      element.removeEventListener('change', note);
    };
  }, [form, data]);
  return new Set(keys.split(' ').filter(Boolean));
}
