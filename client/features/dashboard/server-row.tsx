import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Bar } from '#client/ui/bar.tsx';
import { Block, BLOCK_SHAPES } from '#client/ui/block.tsx';
import type { BlockShape } from '#client/ui/block.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Menu } from '#client/ui/menu.tsx';
import type { MenuItem } from '#client/ui/menu.tsx';
import { Status } from '#client/ui/status.tsx';
import type { ServerView } from '#shared/contract/server-views.ts';
import { needsCredits } from '#shared/needs-credits.ts';
import { href } from '#shared/routes/href.ts';
import { toRowState } from './server-state.ts';
import type { StateContext } from './server-state.ts';

interface ServerRowProps {
  server: ServerView;
  words: StateContext;
  /** Credits for one more period. */
  renewCost: number;
}

/** One server: what it is, its state, its actions. */
export function ServerRow({ server, words, renewCost }: ServerRowProps): ReactNode {
  const t = useT('dashboard');
  const state = toRowState(server, words);
  const running = server.state === 'active' || server.state === 'installing' || server.state === 'queued';
  return (
    <li className="sp-server">
      <Block
        shape={shapeOf(server.egg.shape)}
        hue={server.egg.hue}
        picture={server.egg.picture}
        size="lg"
        off={!running}
      />
      <div className="sp-server__name">
        <h3 className="sp-truncate">
          <Link to={href('server.view', { id: server.id })}>{server.name}</Link>
        </h3>
        <Spec server={server} />
        {server.address !== null && state.note === null ? (
          <CopyButton text={server.address} what={t('addressOf', { name: server.name })} />
        ) : (
          state.note !== null && <p className="sp-server__meta">{state.note}</p>
        )}
      </div>
      <div className="sp-server__state">
        <div className="sp-server__line">
          <Status shape={state.shape}>{state.label}</Status>
          {state.end !== null && <span className="sp-server__end">{state.end}</span>}
        </div>
        {state.bar && <Bar value={state.bar.value} tone={state.bar.tone} />}
      </div>
      <div className="sp-server__act">
        <MainAction server={server} renewCost={renewCost} urgent={needsCredits(server, words.nowMs)} />
        <Menu label={t('moreFor', { name: server.name })} items={useMenu(server)} />
      </div>
    </li>
  );
}

function shapeOf(name: string): BlockShape {
  return BLOCK_SHAPES.find((shape) => shape === name) ?? 'cube';
}

/** Software, location and size in one line. */
function Spec({ server }: { server: ServerView }): ReactNode {
  const format = useFormat();
  const { memory, disk, cpu } = server.resources;
  // Non-breaking spaces keep numbers and units together.
  const sizes = [format.memory(memory), format.memory(disk), format.percent(cpu / 100)].map((size) =>
    size.replaceAll(' ', '\u00a0'),
  );
  const parts = [server.egg.name, server.location.name, ...sizes];
  return <p className="sp-server__meta sp-server__spec">{parts.join(' · ')}</p>;
}

/** The most likely action: renewal if it is due, details while it is being built, else the server's page. */
function MainAction({
  server,
  renewCost,
  urgent,
}: {
  server: ServerView;
  renewCost: number;
  urgent: boolean;
}): ReactNode {
  const t = useT('dashboard');
  const { id, name } = server;
  if (urgent && server.can.renew) {
    return (
      <LinkButton to={href('server.renew', { id })}>
        {t('renew')} <CreditAmount value={renewCost} />
        <span className="sp-sr">, {name}</span>
      </LinkButton>
    );
  }
  const ready = server.state === 'active';
  return (
    <LinkButton to={href('server.view', { id })} aria-label={t(ready ? 'openName' : 'detailsName', { name })}>
      {t(ready ? 'open' : 'details')}
    </LinkButton>
  );
}

function useMenu({ id, can }: ServerView): readonly MenuItem[] {
  const t = useT('dashboard');
  const items: MenuItem[] = [{ id: 'details', label: t('details'), icon: 'info', to: href('server.view', { id }) }];
  if (can.renew) items.push({ id: 'renew', label: t('renew'), icon: 'refresh', to: href('server.renew', { id }) });
  if (can.update) items.push({ id: 'update', label: t('update'), icon: 'sliders', to: href('server.update', { id }) });
  if (can.delete) {
    items.push({
      id: 'delete',
      label: t('delete'),
      icon: 'trash',
      tone: 'danger',
      divided: true,
      to: href('server.delete', { id }),
    });
  }
  return items;
}
