import type { SignedIn } from '#server/modules/kernel.ts';
import type { Story } from '../command.ts';

/** A user as the caller of a command: on the first of two devices, under a key of the step where an input is given. */
export function caller(
  { world }: Pick<Story, 'world'>,
  index: number,
  step?: number,
  input?: string,
  device: 0 | 1 = 0,
): SignedIn {
  const ctx = world.players[index]?.devices[device];
  if (!ctx) throw new Error(`no player ${index}`);
  return step === undefined || input === undefined
    ? ctx
    : { ...ctx, idempotency: { key: `model-key-${step}`, hash: input } };
}

/** The same caller as somebody who may do everything. */
export function asOwner(ctx: SignedIn): SignedIn {
  return { ...ctx, actor: { ...ctx.actor, permissions: ['admin.root'] } };
}
