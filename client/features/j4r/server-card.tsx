import type { ReactNode } from 'react';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { hueOf } from '#client/lib/hue.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Badge, type Tone } from '#client/ui/badge.tsx';
import { Bar, share } from '#client/ui/bar.tsx';
import { Block } from '#client/ui/block.tsx';
import { Button } from '#client/ui/button.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import type { J4rCard } from '#shared/contract/discord.ts';
import type { J4rAnswer } from './screen.tsx';

const BADGES: Readonly<Record<Exclude<J4rCard['state'], 'open'>, Tone>> = {
  vesting: 'positive',
  kept: 'positive',
  held: 'info',
  rejected: 'danger',
  left: 'warning',
  used: 'neutral',
};

interface ServerCardProps {
  server: J4rCard;
  /** The visitor has linked a Discord account. */
  linked: boolean;
  /** The refusal of this server's claim. */
  answer: J4rAnswer | undefined;
}

/** One Discord server: what it pays, the visitor's state, and the actions. */
export function ServerCard({ server, linked, answer }: ServerCardProps): ReactNode {
  const t = useT('j4r');
  const { state } = server;
  const off = state === 'left' || state === 'used' || state === 'rejected' || server.invite_url === null;
  return (
    <section className="sp-card sp-good" aria-labelledby={`j4r-${server.id}`}>
      <header className="sp-good__head">
        <Block shape="cube" hue={hueOf(server.name)} size="lg" off={off} />
        <div className="sp-good__what">
          <h2 id={`j4r-${server.id}`}>{server.name}</h2>
          <p>{server.members !== null && t('members', { count: server.members })}</p>
        </div>
        <p className="sp-good__price">
          <CreditAmount value={server.credits} size="lg" />
        </p>
      </header>
      <div className="sp-good__have">
        {server.description !== '' && <p className="sp-meta">{server.description}</p>}
        {state !== 'open' && (
          <p>
            <Badge tone={BADGES[state]}>{t(`state.${state}`)}</Badge>
          </p>
        )}
        <Standing server={server} />
      </div>
      {state === 'open' && <Claim server={server} linked={linked} answer={answer} />}
    </section>
  );
}

/** The visitor's state with the server, as a sentence. */
function Standing({ server }: { server: J4rCard }): ReactNode {
  const t = useT('j4r');
  const format = useFormat();
  const { state } = server;
  if (state === 'vesting') return <VestingProgress server={server} />;
  if (state === 'open')
    return server.pays_members || server.since === null ? null : (
      <p className="sp-meta">{t('sinceText', { date: format.date(server.since) })}</p>
    );
  if (state === 'left') return <p className="sp-meta">{t('leftText', { credits: format.credits(server.taken) })}</p>;
  if (state === 'kept')
    return <p className="sp-meta">{t('keptText', { date: format.date(server.claimed_at ?? '') })}</p>;
  return <p className="sp-meta">{t(`why.${state}`)}</p>;
}

/** The vesting period of the reward, as a date and a bar. */
function VestingProgress({ server }: { server: J4rCard }): ReactNode {
  const t = useT('j4r');
  const format = useFormat();
  const now = Date.parse(useShell().now);
  const [from, to] = [Date.parse(server.claimed_at ?? ''), Date.parse(server.vests_at ?? '')];
  return (
    <>
      <p className="sp-meta">{t(server.unlinked ? 'unlinkedText' : 'vestingText', { date: format.dateTime(to) })}</p>
      <Bar value={share(now - from, to - from)} tone={server.unlinked ? 'warning' : 'accent'} />
    </>
  );
}

/** The visitor joins at Discord; the claim then makes the server ask Discord. */
function Claim({ server, linked, answer }: ServerCardProps): ReactNode {
  const t = useT('j4r');
  const { problem } = useFormProps(answer);
  const name = server.name;
  return (
    <div className="sp-stack">
      {server.invite_url !== null && (
        <LinkButton
          variant="primary"
          block
          iconEnd="external"
          to={server.invite_url}
          target="_blank"
          rel="noopener noreferrer"
        >
          {t('join')}
          <span className="sp-sr">: {name}</span>
        </LinkButton>
      )}
      {linked && (
        <Form problem={problem} preventScrollReset>
          <FormKey />
          <input type="hidden" name="id" value={server.id} />
          <Button type="submit" block>
            {t('joined')}
            <span className="sp-sr">: {name}</span>
          </Button>
        </Form>
      )}
    </div>
  );
}
