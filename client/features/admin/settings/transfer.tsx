import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Checkbox } from '#client/ui/choice.tsx';
import { Field } from '#client/ui/field.tsx';
import { FileInput } from '#client/ui/file-input.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import type { SettingDifference } from '#shared/contract/settings.ts';
import { href } from '#shared/routes/staff-href.ts';
import { readSettingsFile } from '#shared/setting-file.ts';
import { isSettingKey } from '#shared/settings.ts';
import { rowOf } from './form.ts';
import { Changes } from './review.tsx';
import { useSettingTexts, type SettingTexts } from './texts.ts';

type TransferAnswer =
  | {
      readonly kind: 'review';
      readonly differences: readonly SettingDifference[];
      /** Keys of the file that are not taken over. */
      readonly leftOut: readonly string[];
      /** The changes as JSON, for the form that saves them. */
      readonly changes: string;
    }
  | { readonly kind: 'nothing' | 'unreadable' }
  | { readonly kind: 'saved'; readonly ok: true; readonly changed: number; readonly at: string }
  | ({ readonly kind: 'failed' } & FormFailure);
type Changed = Parameters<ReturnType<typeof apiOf>['adminSettings']['review']>[0]['body']['changes'];

/** The installation's currency, in which amounts are shown. */
export async function loader(args: LoaderFunctionArgs) {
  const { rows } = await apiOf(args).adminSettings.list({});
  return { currency: String(rows.find(({ key }) => key === 'currency')?.value ?? '') };
}

/** Looks at what a file would change, or saves what was looked at. */
export async function action(args: ActionFunctionArgs): Promise<TransferAnswer> {
  const form = await args.request.formData();
  const api = apiOf(args);
  const key = String(form.get('_key') ?? '');
  const failed = new FormData();
  try {
    if (form.get('_intent') === 'save') {
      const changes = JSON.parse(String(form.get('_changes'))) as Changed;
      const body = { changes, confirmed: form.get('confirmed') === 'on' };
      const { changed } = await api.adminSettings.save({ body }, key === '' ? {} : { key });
      return { kind: 'saved', ok: true, changed, at: key };
    }
    const file = form.get('file');
    const [{ rows }, { permissions }] = await Promise.all([api.adminSettings.list({}), api.session.get()]);
    const text = file instanceof File ? await file.text() : '';
    const read = readSettingsFile(text, rows, can(permissions, 'admin.root'));
    if (read === null) return { kind: 'unreadable' };
    if (read.changes.length === 0) return { kind: 'nothing' };
    const changes = [...read.changes];
    const { differences } = await api.adminSettings.review({ body: { changes } });
    return { kind: 'review', differences, leftOut: read.leftOut, changes: JSON.stringify(changes) };
  } catch (error) {
    return { kind: 'failed', ...toFormFailure(error, failed) };
  }
}

/** /mc-admin/settings/transfer: settings as a file, without secrets (behaviour 8.4) */
export default function TransferScreen(): ReactNode {
  const t = useT('staffSettings');
  const { currency } = useLoaderData<typeof loader>();
  const answer = useActionAnswer<TransferAnswer>();
  const texts = useSettingTexts(currency);
  const mayEdit = can(useShell().session.permissions, 'admin.settings.edit');
  return (
    <Page narrow>
      <PageHead
        title={t('transferTitle')}
        text={t('transferText')}
        crumbs={useCrumbs()}
        actions={
          <LinkButton to={href('admin.settings')} variant="ghost" icon="sliders">
            {t('byGroup')}
          </LinkButton>
        }
      />
      {answer?.kind === 'saved' && (
        <Banner tone="positive" live>
          {t('saved', { count: answer.changed })}
        </Banner>
      )}
      {answer?.kind === 'nothing' && <Banner live>{t('nothing')}</Banner>}
      <Card title={t('export')} text={t('exportText')}>
        <div>
          <LinkButton to="/api/admin/settings/export" icon="download" reloadDocument>
            {t('export')}
          </LinkButton>
        </div>
      </Card>
      {mayEdit && <ImportCard answer={answer} texts={texts} />}
      {mayEdit && answer?.kind === 'review' && <SaveCard answer={answer} texts={texts} />}
    </Page>
  );
}

function ImportCard({ answer, texts }: { answer: TransferAnswer | undefined; texts: SettingTexts }): ReactNode {
  const t = useT('staffSettings');
  const { errors, problem, translateError } = useFormProps(answer?.kind === 'failed' ? answer : undefined);
  const labels = Object.fromEntries(
    Object.keys(errors)
      .filter(isSettingKey)
      .map((key) => [key, texts.label(key)]),
  );
  return (
    <Form
      encType="multipart/form-data"
      errors={errors}
      problem={problem}
      translateError={translateError}
      labels={labels}
    >
      <Card title={t('import')} text={t('importText')}>
        <Field
          name="file"
          label={t('file')}
          hint={t('fileHint')}
          error={answer?.kind === 'unreadable' ? t('fileUnreadable') : undefined}
        >
          <FileInput accept="application/json,.json" />
        </Field>
        <div>
          <Button type="submit" name="_intent" value="look" icon="upload">
            {t('review')}
          </Button>
        </div>
      </Card>
    </Form>
  );
}

function SaveCard({
  answer,
  texts,
}: {
  answer: Extract<TransferAnswer, { kind: 'review' }>;
  texts: SettingTexts;
}): ReactNode {
  const t = useT('staffSettings');
  const { differences, leftOut, changes } = answer;
  const asking = differences.some(({ key }) => isSettingKey(key) && rowOf(key).asks);
  return (
    <Form>
      <Card
        title={t('reviewTitle', { count: differences.length })}
        foot={
          <Button type="submit" name="_intent" value="save" variant="primary">
            {t('save', { count: differences.length })}
          </Button>
        }
      >
        <FormKey />
        <input type="hidden" name="_changes" value={changes} />
        <Changes differences={differences} texts={texts} />
        {leftOut.length > 0 && <p className="sp-lead">{t('leftOut', { keys: leftOut.slice(0, 20).join(', ') })}</p>}
        {asking && <Checkbox name="confirmed">{t('confirm')}</Checkbox>}
      </Card>
    </Form>
  );
}
