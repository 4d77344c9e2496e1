import type { ReactNode } from 'react';
import { redirect, useActionData } from 'react-router';
import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { SaveBar } from '#client/ui/savebar.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { can } from '#shared/can.ts';
import { MAIL_KINDS } from '#shared/mails.ts';
import { href } from '#shared/routes/staff-href.ts';
import { ownMailCreateInput } from '#shared/schemas/mail-template.ts';

/** Makes the mail, then goes on to write it. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<never> | Response> {
  return submitForm(args.request, ownMailCreateInput, async (body, key, form) => {
    const { id } = await apiOf(args).adminOwnMails.create({ body }, key ? { key } : {});
    const writes = form.get('_next') === 'edit';
    return redirect(writes ? href('admin.ownMails.edit', { id }) : href('dashboard')) as never;
  });
}

/** /mc-admin/mail-templates/create (behaviour 8.5) */
export default function OwnMailCreateScreen(): ReactNode {
  const t = useT('staffMails');
  const answer = useFormProps(useActionData<FormResult<never>>(), ['name', 'kind']);
  const writes = can(useShell().session.permissions, 'admin.mail.templates.edit');
  return (
    <Page narrow>
      <PageHead title={t('ownCreate')} text={t('ownCreateText')} crumbs={useCrumbs()} />
      <Form {...answer} labels={{ name: t('ownName'), kind: t('ownKind') }}>
        <div className="sp-stack">
          <FormKey />
          <input type="hidden" name="_next" value={writes ? 'edit' : 'dashboard'} />
          <Card>
            <Field label={t('ownName')} name="name" hint={t('ownNameHint')} required>
              <TextInput maxLength={80} autoComplete="off" />
            </Field>
            <Field label={t('ownKind')} name="kind" hint={t('ownKindHint')}>
              <Select options={MAIL_KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))} />
            </Field>
          </Card>
          <SaveBar>
            <Button type="submit" variant="primary">
              {t('ownGoOn')}
            </Button>
          </SaveBar>
        </div>
      </Form>
    </Page>
  );
}
