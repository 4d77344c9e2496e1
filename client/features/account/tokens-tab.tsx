import type { FormEvent, ReactNode } from 'react';
import { useSearchParams, useSubmit } from 'react-router';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { DataTable } from '#client/ui/data-table.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Status } from '#client/ui/status.tsx';
import type { apiTokens as contract } from '#shared/contract/api-tokens.ts';
import type { CallOutput } from '#shared/contract/endpoint.ts';
import { href } from '#shared/routes/href.ts';
import { areaOf, hasScope, type TokenArea, type TokenScope } from '#shared/token-scopes.ts';
import { useScopeName } from './token-area.ts';
import { TokenForm } from './token-form.tsx';
import type { FreshToken, TokensAnswer } from './tokens-action.ts';

type Tokens = CallOutput<(typeof contract)['list']>;
type Token = Tokens['tokens'][number];
/** A token, and the scopes of it that its owner lost the right for. */
type Row = Token & { readonly lost: readonly TokenScope[] };

/** Keys of the API for scripts and bots (behaviour 3.8): what there are, a new one, and an end to each. */
export function TokensTab({ tokens, answer }: { tokens: Tokens; answer: TokensAnswer | undefined }): ReactNode {
  const t = useT('apiTokens');
  const [params] = useSearchParams();
  const created = answer?.intent === 'createToken' ? answer.result : undefined;
  const revoked = answer && answer.intent !== 'createToken' ? answer : undefined;
  const hasForm = params.has('new') && !created?.ok;
  return (
    <>
      {created?.ok && <Fresh {...created.result} />}
      <Revoked answer={revoked} />
      {hasForm && <TokenForm grantable={tokens.grantable} answer={created} />}
      <Card
        title={t('title')}
        text={t('text')}
        count={tokens.tokens.length}
        flush
        aside={
          <span className="sp-btn-row">
            <a className="sp-btn" data-variant="secondary" data-size="sm" href="/docs/api">
              {t('reference')}
            </a>
            {tokens.tokens.length > 1 && <RevokeAll />}
            {!hasForm && tokens.tokens.length > 0 && <CreateLink variant="primary" />}
          </span>
        }
      >
        <List tokens={tokens} hasForm={hasForm} />
      </Card>
    </>
  );
}

function CreateLink({ variant }: { variant: 'primary' | 'secondary' }): ReactNode {
  const t = useT('apiTokens');
  return (
    <LinkButton to={`${href('account')}?tab=tokens&new=1`} variant={variant} size="sm" icon="plus" preventScrollReset>
      {t('create')}
    </LinkButton>
  );
}

/** A way to try a token, by what it may do. */
const SAMPLES: Readonly<Record<TokenArea, string>> = {
  account: '/api/account',
  servers: '/api/servers',
  store: '/api/store',
  earn: '/api/earn/redeem',
  tickets: '/api/tickets',
  images: '/api/images',
  community: '/api/leaderboard',
  'admin.dashboard': '/api/admin/overview',
  'admin.users': '/api/admin/users',
  'admin.servers': '/api/admin/servers',
  'admin.server.queue': '/api/admin/server-queue',
  'admin.payments': '/api/admin/payments',
  'admin.economy': '/api/admin/economy',
  'admin.rewards.held': '/api/admin/held-rewards',
  'admin.redeem.codes': '/api/admin/redeem-codes',
  'admin.store.items': '/api/admin/store-items',
  'admin.credit.packages': '/api/admin/credit-packages',
  'admin.j4r.servers': '/api/admin/j4r-servers',
  'admin.locations': '/api/admin/locations',
  'admin.nests': '/api/admin/egg-categories',
  'admin.egg': '/api/admin/eggs',
  'admin.tickets': '/api/admin/tickets',
  'admin.departments': '/api/admin/departments',
  'admin.canned.replies': '/api/admin/canned-replies',
  'admin.announcements': '/api/admin/announcements',
  'admin.redirect.links': '/api/admin/redirect-links',
  'admin.images': '/api/admin/images',
  'admin.image.reports': '/api/admin/image-reports',
  'admin.mail.templates': '/api/admin/mail-templates',
  'admin.mails': '/api/admin/mails',
  'admin.settings': '/api/admin/settings',
  'admin.panels': '/api/admin/panels',
  'admin.health': '/api/admin/health',
  'admin.backups': '/api/admin/backups',
  'admin.plugins': '/api/admin/plugins',
  'admin.webhooks': '/api/admin/webhooks',
};

/** A command for a terminal. In: the product’s own address, and what the token may do. */
function toSample(appUrl: string, { scopes }: FreshToken): string {
  const [first = 'account:read'] = scopes;
  return `curl ${appUrl}${SAMPLES[areaOf(first)]} \\\n  -H "Authorization: Bearer $SPAWNPOINT_TOKEN"`;
}

/** A token just made, shown this once. */
function Fresh(fresh: FreshToken): ReactNode {
  const t = useT('apiTokens');
  const { settings } = useShell();
  return (
    <section className="sp-card sp-fresh">
      <div className="sp-card__body">
        <h2>{t('freshTitle', { name: fresh.name })}</h2>
        <output className="sp-small">{t('freshText')}</output>
        <p className="sp-fresh__token">
          <CopyButton text={fresh.token} what={t('token')}>
            <code>{fresh.token}</code>
          </CopyButton>
        </p>
        <pre className="sp-fresh__sample">
          <code>{toSample(String(settings.app_url ?? ''), fresh)}</code>
        </pre>
      </div>
    </section>
  );
}

function Revoked({
  answer,
}: {
  answer: { readonly intent: string; readonly result: FormResult<{ revoked: number }> } | undefined;
}): ReactNode {
  const t = useT('apiTokens');
  const { problem } = useFormProps(answer?.result);
  if (problem)
    return (
      <Banner tone="danger" live>
        {problem}
      </Banner>
    );
  if (!answer?.result.ok) return null;
  return (
    <Banner tone="positive" live>
      {answer.intent === 'revokeToken' ? t('revoked') : t('allRevoked', { count: answer.result.result.revoked })}
    </Banner>
  );
}

const renderName = (token: Token): ReactNode => <Name token={token} />;
const renderScopes = (token: Row): ReactNode => <Scopes token={token} />;
const renderLastUse = (token: Token): ReactNode => <LastUse token={token} />;
const renderExpiry = (token: Token): ReactNode => <Expiry token={token} />;
const renderRevoke = (token: Token): ReactNode => <Revoke token={token} />;

function List({ tokens, hasForm }: { tokens: Tokens; hasForm: boolean }): ReactNode {
  const t = useT('apiTokens');
  const rows = tokens.tokens.map((token): Row => ({
    ...token,
    lost: token.scopes.filter((scope) => !hasScope(tokens.grantable, scope)),
  }));
  return (
    <DataTable
      caption={t('title')}
      rows={rows}
      rowKey={({ id }) => id}
      rowName={({ name }) => name}
      columns={[
        { key: 'name', label: t('name'), title: true, cell: renderName },
        { key: 'may', label: t('may'), wrap: true, cell: renderScopes },
        { key: 'used', label: t('lastUsed'), cell: renderLastUse },
        { key: 'expires', label: t('expires'), cell: renderExpiry },
        { key: 'revoke', label: t('revoke'), align: 'end', cell: renderRevoke },
      ]}
      state={
        <EmptyState
          art="key"
          title={t('empty')}
          text={t('emptyText')}
          {...(hasForm ? {} : { action: <CreateLink variant="secondary" /> })}
        />
      }
    />
  );
}

function Name({ token: { name, tail, addresses } }: { token: Token }): ReactNode {
  const t = useT('apiTokens');
  return (
    <span className="sp-token">
      {name}
      <span className="sp-meta">{`…${tail}`}</span>
      {addresses.length > 0 && <span className="sp-meta">{t('onlyFrom', { addresses: addresses.join(', ') })}</span>}
    </span>
  );
}

/** What a token may do; what its owner may not do any more is marked, and says why. */
function Scopes({ token: { scopes, lost } }: { token: Row }): ReactNode {
  const t = useT('apiTokens');
  const nameOf = useScopeName();
  return (
    <span className="sp-token__scopes">
      {scopes.map((scope) => (
        <Badge key={scope} {...(lost.includes(scope) ? { tone: 'warning' as const } : {})}>
          {nameOf(scope)}
          {lost.includes(scope) && ` · ${t('lost')}`}
        </Badge>
      ))}
    </span>
  );
}

function LastUse({ token: { used_at: at, used_address: address } }: { token: Token }): ReactNode {
  const t = useT('apiTokens');
  const format = useFormat();
  const now = useNow(60_000);
  return at === null ? t('never') : t('usedFrom', { when: format.when(at, now), address: address ?? '' });
}

function Expiry({ token: { expires_at: at, expired } }: { token: Token }): ReactNode {
  const t = useT('apiTokens');
  const format = useFormat();
  if (at === null) return t('life.never');
  return expired ? <Status shape="off">{t('expired')}</Status> : format.date(at);
}

function Revoke({ token: { id, name } }: { token: Token }): ReactNode {
  const t = useT('apiTokens');
  return (
    <AskedForm intent="revokeToken" id={id} title={t('revokeTitle', { name })} text={t('revokeText')} ok={t('revoke')}>
      <Button type="submit" variant="danger-quiet" size="sm" aria-label={t('revokeOf', { name })}>
        {t('revoke')}
      </Button>
    </AskedForm>
  );
}

function RevokeAll(): ReactNode {
  const t = useT('apiTokens');
  return (
    <AskedForm intent="revokeTokens" title={t('revokeAllTitle')} text={t('revokeAllText')} ok={t('revokeAll')}>
      <Button type="submit" variant="danger-quiet" size="sm">
        {t('revokeAll')}
      </Button>
    </AskedForm>
  );
}

/** A form of one button; with scripts it asks first. */
function AskedForm(props: {
  intent: string;
  id?: string;
  title: string;
  text: string;
  ok: string;
  children: ReactNode;
}): ReactNode {
  const { intent, id, title, text, ok, children } = props;
  const submit = useSubmit();
  const ask = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    if (await dialogs.confirm({ title, text, ok, tone: 'danger' })) await submit(form);
  };
  return (
    <Form noSummary onSubmit={(event) => void ask(event)}>
      <input type="hidden" name="_intent" value={intent} />
      {id !== undefined && <input type="hidden" name="id" value={id} />}
      {children}
    </Form>
  );
}
