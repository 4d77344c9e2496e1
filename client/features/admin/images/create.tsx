import type { ReactNode } from 'react';
import { useActionData } from 'react-router';
import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormFailure } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { runAndLeave } from '#client/resource/leave-form.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { FileInput } from '#client/ui/file-input.tsx';
import { Form } from '#client/ui/form.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { can } from '#shared/can.ts';
import { IMAGE_CHOICES, IMAGE_MAX_BYTES, IMAGE_NAME_MAX } from '#shared/images.ts';
import { href } from '#shared/routes/staff-href.ts';

const MB = 1024 * 1024;

/** Adds the file of the form under its name, or the one that was typed. */
export function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  return runAndLeave(args.request, href('admin.images.list'), async (form) => {
    const file = form.get('file');
    const body = file instanceof File ? new Uint8Array(await file.arrayBuffer()) : new Uint8Array();
    const typed = String(form.get('name') ?? '').trim();
    const name = (typed || (file instanceof File ? file.name : '')).slice(0, 1000);
    return apiOf(args).adminImages.create({ query: { name }, body });
  });
}

/** /mc-admin/images/create */
export default function LibraryCreateScreen(): ReactNode {
  const t = useT('libraryImages');
  const format = useFormat();
  const answer = useFormProps(useActionData<FormFailure>(), ['name', 'file']);
  const isListed = can(useShell().session.permissions, 'admin.images.list');
  return (
    <Page narrow>
      <PageHead title={t('newTitle')} text={t('newText')} crumbs={useCrumbs()} />
      <Card>
        <Form {...answer} labels={{ file: t('file'), name: t('name') }} encType="multipart/form-data">
          {!isListed && <input type="hidden" name="_stay" value="1" />}
          <Field label={t('file')} name="file" required hint={t('hint', { size: format.memory(IMAGE_MAX_BYTES / MB) })}>
            <FileInput accept={IMAGE_CHOICES} />
          </Field>
          <Field label={t('name')} name="name" optional>
            <TextInput maxLength={IMAGE_NAME_MAX} autoComplete="off" />
          </Field>
          <div className="sp-btn-row">
            <Button type="submit" variant="primary">
              {t('save')}
            </Button>
          </div>
        </Form>
      </Card>
    </Page>
  );
}
