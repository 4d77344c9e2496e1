import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { Card, CardSection, Facts } from '#client/ui/card.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { href } from '#shared/routes/href.ts';
import { serverRenewInput } from '#shared/schemas/server.ts';
import { EggBlock } from './parts.tsx';
import { RenewBox, RenewedBanner } from './renew-box.tsx';
import type { Renewed } from './renew-box.tsx';

/** The server and what renewing it costs now. */
export async function loader(args: LoaderFunctionArgs) {
  const { server, renew } = await apiOf(args).servers.get({ params: { id: args.params.id ?? '' } });
  return { server, renew };
}

/** Renews for one period, at the price and from the expiry that were shown. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, serverRenewInput, async (body, key): Promise<Renewed> => {
    const { expires_at, balance } = await apiOf(args).servers.renew(
      { params: { id: args.params.id ?? '' }, body },
      key ? { key } : {},
    );
    return { intent: 'renew', expires_at, balance };
  });
}

/** The document's title begins with it. */
export const pageName = ({ server }: Awaited<ReturnType<typeof loader>>): string => server.name;

/** /server/:id/renew (behaviour 6.5) */
export default function RenewScreen(): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  const { server, renew } = useLoaderData<typeof loader>();
  const answer = useActionAnswer<FormResult<Renewed>>();
  useLive(['servers', 'balance']);
  const { id, name, expires_at: expires } = server;
  const suspended = server.state === 'suspended';
  const done = answer?.ok === true;
  // The new expiry is only shown if a renewal is possible.
  const possible = !done && (renew.allowed || renew.reason === 'INSUFFICIENT_CREDITS');
  const items = [
    { label: t('server'), value: [server.egg.name, server.location.name].filter(Boolean).join(' · ') },
    { label: t('expiresNow'), value: expires === null ? '–' : format.dateTime(expires) },
    ...(possible && renew.new_expiry !== null
      ? [{ label: t('expiresThen'), value: format.dateTime(renew.new_expiry) }]
      : []),
  ];
  return (
    <Page narrow>
      <PageHead
        title={t('renewTitle', { name })}
        text={t('renewText')}
        picture={<EggBlock egg={server.egg} size="lg" off={suspended} />}
        crumbs={useCrumbs({ 'server.view': name })}
      />
      {answer?.ok && <RenewedBanner answer={answer.result} />}
      <Card flush>
        <CardSection>
          <Facts items={items} />
          {possible && <p className="sp-meta">{t(suspended ? 'renewHintSuspended' : 'renewHint')}</p>}
        </CardSection>
        <CardSection>
          {done ? (
            <LinkButton to={href('server.view', { id })} variant="primary" block>
              {t('backToServer', { name })}
            </LinkButton>
          ) : (
            <RenewBox server={server} renewal={renew} answer={answer} />
          )}
        </CardSection>
      </Card>
    </Page>
  );
}
