import { Fragment, useState } from 'react';
import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData, useLocation } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { SaveBar } from '#client/ui/savebar.tsx';
import { useUnsavedWarning } from '#client/ui/unsaved.ts';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { changesOf, heldText, seenOf, tickKey, ticksOf, touchedOf, type Ticks } from './changes.ts';
import { Matrix } from './matrix.tsx';
import { ReviewCard } from './review-card.tsx';

/** Every role with what it holds, from the lowest to the highest, and the catalogue. */
export async function loader(args: LoaderFunctionArgs) {
  const api = apiOf(args).adminPermissions;
  const id = args.params.id ?? '';
  const [{ roles }, { permissions }] = await Promise.all([api.matrix({ params: { id } }), api.list({})]);
  return { id, roles: roles.toReversed(), catalogue: permissions };
}
export type MatrixData = Awaited<ReturnType<typeof loader>>;

/** A refusal, with what the visitor had ticked otherwise. */
type MatrixFailure = FormFailure & { readonly ticks: readonly (readonly [string, boolean])[] };

/** Saves what the ticks change, all of it or nothing. */
export async function action(args: ActionFunctionArgs): Promise<MatrixFailure | Response> {
  const form = await args.request.formData();
  const here = href('admin.roles.permissions', { id: args.params.id ?? '' });
  const api = apiOf(args);
  let ticks: Ticks = new Map();
  try {
    const { roles, catalogue } = await loader(args);
    const own = String(form.get('_own') ?? '').split(' ');
    const names = catalogue.map(({ value }) => value);
    const seen = seenOf(form);
    ticks = touchedOf(form, ticksOf(form, { own, roles, catalogue: names }));
    const changes = changesOf(roles, names, ticks);
    if (changes.length === 0) return redirect(here);
    const key = form.get('_key');
    const { changed } = await api.adminPermissions.save(
      {
        body: {
          changes: changes.map(({ role, grant, revoke }) => ({
            role: role.id,
            updated_at: seen.get(role.id) ?? role.updated_at,
            grant: [...grant],
            revoke: [...revoke],
          })),
        },
      },
      typeof key === 'string' && key !== '' ? { key } : {},
    );
    return redirect(`${here}?done=${changed}`);
  } catch (error) {
    return { ...toFormFailure(error, form), ticks: [...ticks] };
  }
}

/** The document's title begins with it. */
export const pageName = ({ id, roles }: MatrixData): string | undefined => roles.find((role) => role.id === id)?.name;

/** /mc-admin/roles/:id/permissions (behaviour 3.10) */
export default function PermissionsScreen(): ReactNode {
  const t = useT('roles');
  const { id, roles } = useLoaderData<typeof loader>();
  const { permissions } = useShell().session;
  const actions = (
    <>
      {can(permissions, 'admin.roles.list') && (
        <LinkButton to={href('admin.roles.list')} variant="ghost" icon="list">
          {t('all')}
        </LinkButton>
      )}
      {can(permissions, 'admin.roles.create') && (
        <LinkButton to={href('admin.roles.create')} icon="plus">
          {t('create')}
        </LinkButton>
      )}
    </>
  );
  return (
    <Page>
      <PageHead
        title={t('permissionsTitle')}
        text={t('permissionsText')}
        crumbs={useCrumbs({ 'admin.roles.permissions': roles.find((role) => role.id === id)?.name ?? '' })}
        actions={actions}
      />
      <Outcome />
      <MatrixForm key={`${id} ${roles.map((role) => role.updated_at).join(' ')}`} />
    </Page>
  );
}

/** What the visitor came back from. */
function Outcome(): ReactNode {
  const t = useT('roles');
  const named = new URLSearchParams(useLocation().search).get('done') ?? '';
  if (named !== 'create' && !/^\d{1,4}$/.test(named)) return null;
  return (
    <Banner tone="positive" live>
      {named === 'create' ? t('done.create') : t('saved', { count: Number(named) })}
    </Banner>
  );
}

function MatrixForm(): ReactNode {
  const t = useT('roles');
  const { roles, catalogue } = useLoaderData<typeof loader>();
  const result = useActionData<MatrixFailure>();
  const answer = useFormProps(result);
  const { permissions: own } = useShell().session;
  const [ticks, setTicks] = useState<Ticks>(() => new Map(result?.ticks));
  const names = catalogue.map(({ value }) => value);
  const changes = changesOf(roles, names, ticks);
  const count = changes.reduce((sum, { grant, revoke }) => sum + grant.length + revoke.length, 0);
  useUnsavedWarning(count > 0);
  const mayEdit = can(own, 'admin.permissions.edit') && roles.some(({ editable }) => editable);
  const stale = result?.code === 'CONFLICT';
  const tick = (roleId: string, permission: string, on: boolean): void =>
    setTicks(new Map([...ticks, [tickKey(roleId, permission), on]]));
  return (
    <Form {...answer} problem={stale ? t('matrixStale') : answer.problem}>
      <FormKey />
      <input type="hidden" name="_own" value={own.join(' ')} />
      {mayEdit &&
        roles
          .filter(({ editable }) => editable)
          .map((role) => (
            <Fragment key={role.id}>
              <input type="hidden" name="seen" value={`${role.id} ${role.updated_at}`} />
              <input type="hidden" name="held" value={heldText(role)} />
            </Fragment>
          ))}
      <div className="sp-split sp-roles">
        <Card flush>
          <Matrix ticks={ticks} onTick={tick} />
        </Card>
        <div className="sp-stack sp-sticky">
          <ReviewCard changes={changes} count={count} />
          <RulesCard />
        </div>
      </div>
      {mayEdit && (
        <SaveBar what={count > 0 ? t('changes', { count }) : undefined}>
          <Button type="reset" variant="ghost" disabled={count === 0} onClick={() => setTicks(new Map())}>
            {t('discard')}
          </Button>
          <Button type="submit" variant="primary">
            {t('save')}
          </Button>
        </SaveBar>
      )}
    </Form>
  );
}

/** The rules that the server keeps, in words. */
function RulesCard(): ReactNode {
  const t = useT('roles');
  return (
    <Card title={t('rules')} flush>
      <List>
        {(['owner', 'own', 'default'] as const).map((rule) => (
          <ListItem key={rule} title={t(`rule.${rule}`)} text={t(`ruleText.${rule}`)} />
        ))}
      </List>
    </Card>
  );
}
