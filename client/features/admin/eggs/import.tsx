import type { ReactNode } from 'react';
import { redirect, useActionData } from 'react-router';
import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { FileInput } from '#client/ui/file-input.tsx';
import { Form } from '#client/ui/form.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Select } from '#client/ui/select.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import type { EggFileSummary } from '#shared/contract/egg-files.ts';
import { MAX_EGG_FILE } from '#shared/egg-files.ts';
import { href } from '#shared/routes/staff-href.ts';

interface ReadAnswer {
  readonly ok: true;
  readonly content: string;
  readonly file: EggFileSummary;
  readonly categories: readonly { readonly id: string; readonly name: string }[];
}
/** What was sent is kept for the next step; a file that could not be saved is shown again. */
type Refused = FormFailure & { readonly read?: ReadAnswer | undefined };

const KB = 1024;

/** Reads the file that was chosen, or makes an egg of the one that was read before. */
export async function action(args: ActionFunctionArgs): Promise<ReadAnswer | Refused | Response> {
  const api = apiOf(args).adminEggFiles;
  const form = await args.request.formData();
  const file = form.get('file');
  const isFile = file instanceof File && file.size > 0;
  const content = isFile
    ? (await file.slice(0, 4 * MAX_EGG_FILE).text()).slice(0, MAX_EGG_FILE + 1)
    : String(form.get('content') ?? '');
  const typed = new FormData();
  const category = String(form.get('category_id') ?? '');
  typed.set('category_id', category);
  let read: ReadAnswer | undefined;
  try {
    read = { ok: true, content, ...(await api.read({ body: { content } })) };
    if (form.get('_intent') !== 'save') return read;
    const { id } = await api.create({ body: { content, category_id: category } });
    return redirect(form.get('_edit') === '1' ? href('admin.eggs.edit', { id }) : href('admin.eggs.import'));
  } catch (error) {
    return { ...toFormFailure(error, typed), read };
  }
}

/** /mc-admin/eggs/import */
export default function EggImportScreen(): ReactNode {
  const t = useT('eggFiles');
  const answer = useActionData() as ReadAnswer | Refused | undefined;
  const read = answer?.ok ? answer : answer?.read;
  return (
    <Page narrow>
      <PageHead title={t('title')} text={t('text')} crumbs={useCrumbs()} />
      {read ? (
        <ReadFile read={read} refused={answer?.ok === false ? answer : undefined} />
      ) : (
        <ChooseFile refused={answer?.ok === false ? answer : undefined} />
      )}
    </Page>
  );
}

function ChooseFile({ refused }: { refused: Refused | undefined }): ReactNode {
  const t = useT('eggFiles');
  const format = useFormat();
  // What is wrong with the text of a file is wrong with the file.
  const answer = useFormProps(
    refused && { ...refused, fields: refused.fields.content ? { file: refused.fields.content } : refused.fields },
    ['file'],
  );
  return (
    <Card>
      <Form {...answer} labels={{ file: t('file') }} encType="multipart/form-data">
        <Field
          label={t('file')}
          name="file"
          required
          hint={t('fileHint', { size: format.memory(MAX_EGG_FILE / KB / KB) })}
        >
          <FileInput accept=".json,.yaml,.yml,application/json,application/yaml" />
        </Field>
        <div className="sp-btn-row">
          <Button type="submit" variant="primary">
            {t('read')}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

/** What the file holds, where its servers run, and what is left to do: the category. Nothing is saved yet. */
function ReadFile({ read, refused }: { read: ReadAnswer; refused: Refused | undefined }): ReactNode {
  const t = useT('eggFiles');
  const { permissions } = useShell().session;
  const { file, categories, content } = read;
  const answer = useFormProps(
    refused && {
      ...refused,
      fields: refused.fields.content ? { category_id: refused.fields.content } : refused.fields,
    },
    ['category_id'],
  );
  return (
    <>
      <EngineCard file={file} />
      <Card title={file.name} text={file.description || undefined}>
        <Facts
          items={[
            { label: t('format'), value: file.format },
            { label: t('image'), value: <code>{file.docker_image}</code> },
            ...(file.other_images.length > 0
              ? [{ label: t('otherImages'), value: <code>{file.other_images.join(', ')}</code> }]
              : []),
            { label: t('startup'), value: <code>{file.startup}</code> },
            ...(file.install_image === null
              ? []
              : [
                  {
                    label: t('script'),
                    value: t(file.engine === 'container' ? 'scriptHere' : 'scriptText', { image: file.install_image }),
                  },
                ]),
            ...(file.config_files.length > 0
              ? [{ label: t('configFiles'), value: <code>{configFilesText(file)}</code> }]
              : []),
          ]}
        />
      </Card>
      <VariablesCard file={file} />
      <Card title={t('saveTitle')} text={t('saveText')}>
        <Form {...answer} labels={{ category_id: t('category') }}>
          <input type="hidden" name="content" value={content} />
          <input type="hidden" name="_edit" value={can(permissions, 'admin.egg.edit') ? '1' : '0'} />
          <Field label={t('category')} name="category_id" required>
            <Select options={categories.map(({ id, name }) => ({ value: id, label: name }))} />
          </Field>
          <div className="sp-btn-row">
            <Button type="submit" variant="primary" name="_intent" value="save">
              {t('save')}
            </Button>
          </div>
        </Form>
      </Card>
    </>
  );
}

const configFilesText = ({ config_files: files }: EggFileSummary): string =>
  files.map(({ path, parser }) => `${path} (${parser ?? '?'})`).join(', ');

const TEXTS = { machine: 'machineText', container: 'containerText', panel: 'panelText' } as const;
/** Where servers of the file run, and why. */
function EngineCard({ file }: { file: EggFileSummary }): ReactNode {
  const t = useT('eggFiles');
  const kinds = useLooseT('machine');
  const isHere = file.engine !== 'panel';
  const kind = file.recipe === null ? null : kinds(`recipe.${file.recipe}`) || file.recipe;
  return (
    <Card title={t('engine')} aside={<Status shape={isHere ? 'active' : 'expiring'}>{t(file.engine)}</Status>}>
      <p>{t(TEXTS[file.engine], { kind: kind ?? '' })}</p>
      {file.reasons.length > 0 && (
        <ul className="sp-reasons">
          {file.reasons.map((reason) => (
            <li key={reason}>{t(`reason.${reason}`)}</li>
          ))}
        </ul>
      )}
      {file.engine !== 'machine' && kind !== null && (
        <Banner>{t('ownRecipe', { kind, image: `spawnpoint/${file.recipe}` })}</Banner>
      )}
    </Card>
  );
}

function VariablesCard({ file: { variables, unchecked } }: { file: EggFileSummary }): ReactNode {
  const t = useT('eggFiles');
  return (
    <Card title={t('variables', { count: variables.length })}>
      {variables.length === 0 && <p className="sp-muted">{t('noVariables')}</p>}
      {unchecked.length > 0 && (
        <Banner>{t('unchecked', { rules: unchecked.map(({ env, rule }) => `${env}: ${rule}`).join(', ') })}</Banner>
      )}
      <Facts
        items={variables.map(({ env, name, default_value: value, rules, user_editable: isOpen }) => ({
          label: `${name} (${t(isOpen ? 'open' : 'fixed')})`,
          value: (
            <>
              <code>{`${env}=${value}`}</code> <span className="sp-muted">{rules}</span>
            </>
          ),
        }))}
      />
    </Card>
  );
}
