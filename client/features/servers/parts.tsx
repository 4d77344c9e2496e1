import type { ReactNode } from 'react';
import type { Format } from '#client/lib/i18n.tsx';
import { Block, BLOCK_SHAPES } from '#client/ui/block.tsx';
import type { BlockShape } from '#client/ui/block.tsx';
import type { IconName } from '#client/ui/icons.ts';
import type { ResourceKind } from '#shared/constants.ts';
import { SECOND } from '#shared/time.ts';

/** The kinds of resource of a server, in display order. */
export const SERVER_KINDS = ['memory', 'disk', 'cpu', 'ports', 'databases', 'backups'] as const;
export type ServerKind = (typeof SERVER_KINDS)[number];
/** Amounts of a server: MB, MB, percent of a core, counts. */
export type Amounts = Readonly<Record<ServerKind, number>>;
/** Used and limit of every kind, as the API sends them. */
export type Meters = Readonly<Record<ResourceKind, { readonly used: number; readonly limit: number }>>;

export const KIND_ICONS: Readonly<Record<ResourceKind, IconName>> = {
  memory: 'memory',
  disk: 'disk',
  cpu: 'cpu',
  slots: 'server',
  ports: 'network',
  databases: 'database',
  backups: 'archive',
};

/** An amount of a kind with its unit: `2 GB`, `150 %`, `3`. */
export function amountText(kind: ResourceKind, amount: number, format: Format): string {
  if (kind === 'memory' || kind === 'disk') return format.memory(amount);
  return kind === 'cpu' ? format.percent(amount / 100) : format.number(amount);
}

/** What is left of a limit; a lowered limit leaves nothing. */
export function remainingOf(meter: { readonly used: number; readonly limit: number }): number {
  return Math.max(0, meter.limit - meter.used);
}

/** The block that represents an egg; grey while the server does not exist. */
export function EggBlock(props: {
  egg: { shape: string; hue: number; picture?: string };
  size?: 'sm' | 'lg' | 'xl';
  off?: boolean;
}): ReactNode {
  const { egg, size, off = false } = props;
  return (
    <Block shape={shapeOf(egg.shape)} hue={egg.hue} picture={egg.picture ?? ''} off={off} {...(size ? { size } : {})} />
  );
}

function shapeOf(name: string): BlockShape {
  return BLOCK_SHAPES.find((shape) => shape === name) ?? 'cube';
}

/** Formats an estimate, rounded up to tens of seconds, or whole minutes from two minutes on. In: seconds. */
export function formatEstimate(seconds: number, format: Format): string {
  const step = seconds < 120 ? 10 : 60;
  return format.duration(Math.max(step, Math.round(seconds / step) * step) * SECOND);
}

/** Bold words of a text. */
export const BOLD = { b: (words: ReactNode): ReactNode => <b>{words}</b> };
