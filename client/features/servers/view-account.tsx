import type { ReactNode } from 'react';
import type { ActionFunctionArgs } from 'react-router';
import * as z from 'zod/mini';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { accountCodeInput } from '#shared/schemas/panel.ts';

/** Whether a form of the page is about the owner's account in the panel. */
export function isAccountIntent(intent: unknown): intent is 'accountCode' | 'accountProof' {
  return intent === 'accountCode' || intent === 'accountProof';
}

/** Requests a mailed code, or submits it as proof that the account in the panel is the owner's. */
export function accountAction(args: ActionFunctionArgs, intent: 'accountCode' | 'accountProof') {
  const params = { id: args.params.id ?? '' };
  const { panelAccount } = apiOf(args);
  if (intent === 'accountCode') {
    return submitForm(args.request, z.strictObject({}), async () => {
      await panelAccount.sendCode({ params });
      return { intent };
    });
  }
  return submitForm(args.request, accountCodeInput, async (body) => {
    await panelAccount.prove({ params, body });
    return { intent };
  });
}

const intentOf = (answer: FormResult<unknown> | undefined): unknown =>
  answer?.ok && typeof answer.result === 'object' && answer.result !== null && 'intent' in answer.result
    ? answer.result.intent
    : null;

/** An account in the panel has the owner's address: the owner can prove that it is theirs with a code mailed there. */
export function AccountBox({ answer }: { answer: FormResult<unknown> | undefined }): ReactNode {
  const t = useT('servers');
  const { user } = useShell().session;
  const { problem: _, ...form } = useFormProps(answer?.ok === false && 'code' in answer.fields ? answer : undefined, [
    'code',
  ]);
  const done = intentOf(answer);
  if (done === 'accountProof') {
    return (
      <Banner tone="positive" live>
        {t('account.done')}
      </Banner>
    );
  }
  return (
    <Card title={t('account.title')} text={t('account.text', { email: user?.email ?? '' })}>
      <div className="sp-stack">
        {done === 'accountCode' && (
          <Banner tone="positive" live>
            {t('account.sent', { email: user?.email ?? '' })}
          </Banner>
        )}
        <Form noSummary preventScrollReset>
          <input type="hidden" name="_intent" value="accountCode" />
          <div className="sp-btn-row">
            <Button type="submit" icon="mail">
              {t('account.send')}
            </Button>
          </div>
        </Form>
        <Form {...form} noSummary preventScrollReset>
          <div className="sp-fields">
            <input type="hidden" name="_intent" value="accountProof" />
            <Field label={t('account.code')} name="code" required hint={t('account.codeHint')}>
              <TextInput
                mono
                maxLength={40}
                autoComplete="one-time-code"
                autoCapitalize="characters"
                spellCheck={false}
              />
            </Field>
            <div className="sp-btn-row">
              <Button type="submit" variant="primary">
                {t('account.prove')}
              </Button>
            </div>
          </div>
        </Form>
      </div>
    </Card>
  );
}
