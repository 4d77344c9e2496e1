import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { ConfirmButton } from '#client/ui/confirm-button.tsx';
import { Disclosure } from '#client/ui/disclosure.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import type { SubuserView } from '#shared/contract/server-views.ts';
import { MOST_SUBUSERS } from '#shared/subusers.ts';
import { RightsFields, useRightNames } from './rights-fields.tsx';

type Answer = FormResult<unknown> | undefined;

/** Who else works on a server: added, changed and removed by its owner. `answer`: to the last of these forms. */
export function SubusersCard({ subusers, answer }: { subusers: readonly SubuserView[]; answer: Answer }): ReactNode {
  const t = useT('sharing');
  const format = useFormat();
  const about = answer?.ok === false ? answer.values.user_id : undefined;
  return (
    <Card
      title={t('title')}
      text={t('text')}
      {...(subusers.length > 0 ? { count: format.number(subusers.length) } : {})}
    >
      {subusers.length > 0 && (
        <ul className="sp-subusers" aria-label={t('title')}>
          {subusers.map((subuser) => (
            <Subuser key={subuser.user_id} subuser={subuser} answer={about === subuser.user_id ? answer : undefined} />
          ))}
        </ul>
      )}
      {subusers.length < MOST_SUBUSERS && (
        <AddForm
          key={`${subusers.length}`}
          answer={answer?.ok === false && 'username' in answer.values ? answer : undefined}
        />
      )}
    </Card>
  );
}

function Subuser({ subuser, answer }: { subuser: SubuserView; answer: Answer }): ReactNode {
  const t = useT('sharing');
  const format = useFormat();
  const names = useRightNames();
  const shown = useFormProps(answer);
  const { username, user_id: id, rights } = subuser;
  return (
    <li className="sp-subuser">
      <p className="sp-subuser__name">
        <b>{username}</b> <span className="sp-meta">{t('since', { date: format.date(subuser.added_at) })}</span>
      </p>
      <p className="sp-meta">{names(rights)}</p>
      <Disclosure
        label={
          <>
            {t('edit')} <span className="sp-sr">{username}</span>
          </>
        }
        open={answer?.ok === false}
      >
        <Form {...shown} labels={{ rights: t('rights') }} key={rights.join()} preventScrollReset>
          <input type="hidden" name="_intent" value="setRights" />
          <input type="hidden" name="user_id" value={id} />
          <RightsFields rights={rights} />
          <div className="sp-btn-row">
            <Button type="submit" size="sm">
              {t('save')}
            </Button>
          </div>
        </Form>
        <Form noSummary preventScrollReset>
          <input type="hidden" name="_intent" value="removeSubuser" />
          <input type="hidden" name="user_id" value={id} />
          <div className="sp-btn-row">
            <ConfirmButton
              ask={{
                title: t('removeAsk', { name: username }),
                text: t('removeText'),
                ok: t('remove'),
                tone: 'danger',
              }}
              sure={t('removeSure')}
              variant="danger-quiet"
              size="sm"
              icon="trash"
            >
              {t('remove')}
            </ConfirmButton>
          </div>
        </Form>
      </Disclosure>
    </li>
  );
}

function AddForm({ answer }: { answer: Answer }): ReactNode {
  const t = useT('sharing');
  const shown = useFormProps(answer, ['username', 'rights']);
  return (
    <Disclosure label={t('addTitle')} open={answer?.ok === false}>
      <Form {...shown} labels={{ username: t('username'), rights: t('rights') }} preventScrollReset>
        <input type="hidden" name="_intent" value="addSubuser" />
        <FormKey />
        <Field label={t('username')} name="username" required>
          <TextInput maxLength={32} autoComplete="off" autoCapitalize="none" spellCheck={false} />
        </Field>
        <RightsFields rights={['readConsole']} />
        <div className="sp-btn-row">
          <Button type="submit" variant="primary">
            {t('add')}
          </Button>
        </div>
      </Form>
    </Disclosure>
  );
}
