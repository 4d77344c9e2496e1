import type * as z from 'zod/mini';
import type { Handlers } from '#server/http/implement.types.ts';
import { writeAudit } from '#server/modules/audit/index.ts';
import { assertAmount, assertMay } from '#server/modules/permit.ts';
import { runOnce } from '#server/modules/idempotency/index.ts';
import type { Ids, SignedIn } from '#server/modules/kernel.ts';
import type { Tx } from '#server/modules/tx.ts';
import type { adminCodeBatch } from '#shared/contract/economy.ts';
import { DomainError, fieldError } from '#shared/errors.ts';
import { normaliseCode } from '#shared/redeem-code.ts';
import type { codeBatchInput } from '#shared/schemas/code-batch.ts';
import type { SettingValues } from '#shared/settings.ts';
import { readableCode } from '#shared/readable-code.ts';
import { iso } from '#shared/time.ts';
import type { CrudDeps } from './crud-handlers.ts';

type Input = z.output<typeof codeBatchInput>;

type Deps = CrudDeps & { readonly settings: { current(): SettingValues } };

/** Creating several redeem codes at once (behaviour 8.1). */
export function codeBatchHandlers(deps: Deps): Handlers<typeof adminCodeBatch> {
  const { uow, clock } = deps;
  return {
    create: (ctx, { body }) => runOnce({ uow, now: clock.now() }, ctx, (tx) => createCodes(deps, tx, ctx, body)),
  };
}

/**
 * Creates all codes or none. Out: the codes. Throws APPROVAL_REQUIRED where they are worth too much together,
 * VALIDATION_FAILED at `pattern` where it allows too few codes or one of them exists already.
 */
async function createCodes(
  { clock, ids, settings }: Deps,
  tx: Tx,
  ctx: SignedIn,
  { count, pattern, ...facts }: Input,
): Promise<{ codes: string[] }> {
  assertMay(ctx, 'admin.redeem.codes.create');
  assertAmount(ctx, settings.current(), count * facts.credits * facts.uses_total);
  const codes = new Set<string>();
  // Eight or more random characters of 32 rarely give the same code twice, so a few more tries are enough.
  for (let tries = 0; codes.size < count && tries < count * 2; tries += 1) codes.add(fillPattern(pattern, ids));
  if (codes.size < count) throw fieldError('pattern', 'TOO_SHORT');
  const at = iso(clock.now());
  const store = tx.crud.area('redeemCodes');
  for (const code of codes) {
    try {
      await store.insert({
        ...facts,
        code,
        code_key: normaliseCode(code),
        enabled: true,
        creator_id: ctx.actor.userId,
        uses_count: 0,
        id: ids.uuid(),
        created_at: at,
        updated_at: at,
      });
    } catch (error) {
      if (error instanceof DomainError && error.fields?.code) throw fieldError('pattern', 'CODE_TAKEN');
      throw error;
    }
  }
  // Codes are worth credits: the audit log holds their number and pattern, not the codes.
  await writeAudit(tx, { clock, ids }, ctx, { action: 'redeemCodes.batch', after: { name: pattern, count, ...facts } });
  return { codes: [...codes] };
}

/** Replaces each `#` of a pattern by a random character. */
function fillPattern(pattern: string, ids: Ids): string {
  let characters = '';
  return pattern.replaceAll('#', () => {
    if (characters === '') characters = readableCode(ids.token());
    const [character = '0'] = characters;
    characters = characters.slice(1);
    return character;
  });
}
