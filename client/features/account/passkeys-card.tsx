import { useRef } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { useSubmit } from 'react-router';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { useNow } from '#client/lib/use-now.ts';
import { usePasskeySupport } from '#client/lib/use-passkey-support.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, CardSection } from '#client/ui/card.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { PasskeyButton } from '#client/ui/passkey-button.tsx';
import { PasswordInput } from '#client/ui/password-input.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import type { CallOutput } from '#shared/contract/endpoint.ts';
import type { Api } from '#shared/contract/index.ts';
import type { passkeys as contract } from '#shared/contract/passkeys.ts';
import { provePasskeyOf } from './owner-proof.tsx';
import type { PasskeysAnswer } from './passkeys-action.ts';

type PasskeysPage = CallOutput<(typeof contract)['list']>;
type Passkey = PasskeysPage['passkeys'][number];
type Ceremonies = typeof import('#client/lib/passkey.ts');

const DONE = { add: 'addedDone', rename: 'renamedDone', remove: 'removedDone', confirm: null } as const;
/** Longest name of a passkey. */
const NAME_MAX = 60;

/** The user's passkeys. Adding and removing them asks first who sits there. */
export function PasskeysCard({ page, answer }: { page: PasskeysPage; answer: PasskeysAnswer | undefined }): ReactNode {
  const t = useT('passkeys');
  const { problem } = useFormProps(answer?.what === 'confirm' ? undefined : answer?.result);
  const done = answer?.result.ok ? DONE[answer.what] : null;
  return (
    <Card id="passkeys" title={t('title')} text={t('text')} count={page.passkeys.length} flush>
      {(done ?? problem) && (
        <Banner tone={done ? 'positive' : 'danger'} live>
          {done ? t(done) : problem}
        </Banner>
      )}
      {page.passkeys.length > 0 && (
        <List>
          {page.passkeys.map((passkey) => (
            <PasskeyItem key={passkey.id} passkey={passkey} removable={page.confirmed} />
          ))}
        </List>
      )}
      <CardSection>
        {page.passkeys.length === 0 && <p className="sp-lead">{t('none')}</p>}
        <Change page={page} answer={answer?.what === 'confirm' ? answer : undefined} />
      </CardSection>
    </Card>
  );
}

/** What comes next: confirming who sits there, or a new passkey; or why there can be none. */
function Change({ page, answer }: { page: PasskeysPage; answer: PasskeysAnswer | undefined }): ReactNode {
  const t = useT('passkeys');
  const hydrated = useHydrated();
  const supported = usePasskeySupport(page.domain);
  const { domain, passkeys, confirmed } = page;
  if (domain === null && passkeys.length === 0) return <p className="sp-lead">{t('unavailable')}</p>;
  if (hydrated && !supported && (confirmed || passkeys.length === 0))
    return <p className="sp-lead">{t('unsupported')}</p>;
  return confirmed ? <NewPasskey key={passkeys.length} domain={domain} /> : <Confirm page={page} answer={answer} />;
}

function PasskeyItem({ passkey, removable }: { passkey: Passkey; removable: boolean }): ReactNode {
  const t = useT('passkeys');
  const format = useFormat();
  const now = useNow(60_000);
  const { name, synced, copied, created_at, used_at } = passkey;
  const date = format.date(created_at);
  return (
    <ListItem
      icon="key"
      title={
        <>
          {name}
          {synced && <Badge>{t('synced')}</Badge>}
          {copied && <Badge tone="warning">{t('copied')}</Badge>}
        </>
      }
      text={used_at === null ? t('unused', { date }) : t('used', { date, seen: format.when(used_at, now) })}
      end={
        <span className="sp-btn-row">
          <Rename passkey={passkey} />
          {removable && <Remove passkey={passkey} />}
        </span>
      }
    />
  );
}

/** Asks for another name. */
function Rename({ passkey: { id, name } }: { passkey: Passkey }): ReactNode {
  const t = useT('passkeys');
  const submit = useSubmit();
  const ask = async (): Promise<void> => {
    const wanted = await dialogs.prompt({
      title: t('rename'),
      label: t('name'),
      initial: name,
      maxLength: NAME_MAX,
      ok: t('save'),
    });
    if (wanted !== null) await submit({ _intent: 'renamePasskey', id, name: wanted }, { method: 'post' });
  };
  return (
    <Button variant="ghost" size="sm" onClick={() => void ask()}>
      {t('rename')}
      <span className="sp-sr">: {name}</span>
    </Button>
  );
}

/** Removes it; with scripts it asks first. */
function Remove({ passkey: { id, name } }: { passkey: Passkey }): ReactNode {
  const t = useT('passkeys');
  const submit = useSubmit();
  const ask = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const question = { title: t('removeTitle', { name }), text: t('removeText'), ok: t('remove') };
    if (await dialogs.confirm({ ...question, tone: 'danger' })) await submit(form);
  };
  return (
    <Form noSummary onSubmit={(event) => void ask(event)}>
      <input type="hidden" name="_intent" value="removePasskey" />
      <input type="hidden" name="id" value={id} />
      <Button type="submit" variant="danger-quiet" size="sm">
        {t('remove')}
        <span className="sp-sr">: {name}</span>
      </Button>
    </Form>
  );
}

/** Who sits there: a stolen session must not add a way in (attacks T31). */
function Confirm({ page, answer }: { page: PasskeysPage; answer: PasskeysAnswer | undefined }): ReactNode {
  const t = useT('passkeys');
  return (
    <>
      <p className="sp-lead">{t('confirmText')}</p>
      <ConfirmForm page={page} answer={answer} />
    </>
  );
}

/** Asks for the password, with a code where the second factor is on, or a passkey. */
export function ConfirmForm({
  page,
  answer,
}: {
  page: PasskeysPage;
  answer: Pick<PasskeysAnswer, 'result'> | undefined;
}): ReactNode {
  const t = useT('passkeys');
  const shown = useFormProps(answer?.result);
  return (
    <>
      <Form {...shown} labels={{ password: t('password'), code: t('code') }} noValidate>
        <input type="hidden" name="_intent" value="confirm" />
        {page.needs_password && (
          <Field label={t('password')} name="password" required>
            <PasswordInput autoComplete="current-password" maxLength={256} />
          </Field>
        )}
        {page.needs_code && (
          <Field label={t('code')} name="code" hint={t('codeHint')} required>
            <TextInput autoComplete="one-time-code" autoCapitalize="characters" spellCheck={false} maxLength={40} />
          </Field>
        )}
        <div className="sp-btn-row">
          <Button type="submit">{t('confirm')}</Button>
        </div>
      </Form>
      {page.passkeys.length > 0 && (
        <PasskeyButton domain={page.domain} intent="confirmPasskey" run={provePasskeyOf}>
          {t('use')}
        </PasskeyButton>
      )}
    </>
  );
}

/** A name, and the button that has the browser make one. */
function NewPasskey({ domain }: { domain: string | null }): ReactNode {
  const t = useT('passkeys');
  const frame = useRef<HTMLDivElement>(null);
  const make = async (api: Api, { makePasskey }: Ceremonies) => {
    const name = frame.current?.querySelector('input')?.value.trim() || t('unnamed');
    const { options } = await api.passkeys.startAdd();
    return { ...(await makePasskey(options)), name };
  };
  return (
    <div className="sp-form__set" ref={frame}>
      <Field label={t('name')} name="name" hint={t('nameHint')} optional>
        <TextInput maxLength={NAME_MAX} />
      </Field>
      <PasskeyButton domain={domain} intent="addPasskey" run={make} variant="primary">
        {t('add')}
      </PasskeyButton>
    </div>
  );
}
