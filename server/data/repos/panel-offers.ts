import type { Kysely, Selectable } from 'kysely';
import type { DB, PanelOffers } from '#server/data/schema.ts';
import type { Offer, PanelsRepo, SeenOffer } from '#server/modules/panels/ports.ts';

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
const kindOf = (text: string): Offer['kind'] => (text === 'location' || text === 'nest' ? text : 'egg');
const toOffer = (row: Selectable<PanelOffers>): Offer => ({
  kind: kindOf(row.kind),
  ref: row.ref,
  name: row.name,
  parent: row.parent,
  body: JSON.parse(row.body) as unknown,
  hash: row.hash,
  takenHash: row.taken_hash,
  taken: parsed(row.taken),
  firstMs: row.first_ms,
  seenMs: row.seen_ms,
  vanishedMs: row.vanished_ms,
});

/** What panels offer: their locations, nests and eggs as they were read last. */
export function offersPart(
  db: Kysely<DB>,
): Pick<PanelsRepo, 'listOffers' | 'listOfferHeads' | 'saveOffers' | 'markTaken'> {
  return {
    async listOffers(panelId) {
      return (
        await db
          .selectFrom('panel_offers')
          .selectAll()
          .where('panel_id', '=', panelId)
          .orderBy('kind')
          .orderBy('name')
          .orderBy('ref')
          .execute()
      ).map(toOffer);
    },
    async listOfferHeads() {
      const rows = await db
        .selectFrom('panel_offers')
        .select(['panel_id', 'kind', 'ref', 'hash', 'taken_hash', 'vanished_ms'])
        .execute();
      return rows.map((row) => ({
        panelId: row.panel_id,
        kind: kindOf(row.kind),
        ref: row.ref,
        hash: row.hash,
        takenHash: row.taken_hash,
        vanishedMs: row.vanished_ms,
      }));
    },
    saveOffers: (panelId, kind, seen, nowMs) => saveSeenOffers(db, panelId, kind, seen, nowMs),
    async markTaken(panelId, kind, ref, hash, taken) {
      await db
        .updateTable('panel_offers')
        .set({ taken_hash: hash, taken: JSON.stringify(taken) })
        .where('panel_id', '=', panelId)
        .where('kind', '=', kind)
        .where('ref', '=', ref)
        .execute();
    },
  };
}

async function saveSeenOffers(
  db: Kysely<DB>,
  panelId: string,
  kind: Offer['kind'],
  seen: readonly SeenOffer[],
  nowMs: number,
): Promise<void> {
  const known = new Map(
    (
      await db.selectFrom('panel_offers').selectAll().where('panel_id', '=', panelId).where('kind', '=', kind).execute()
    ).map((row) => [row.ref, row]),
  );
  const at = (ref: string) =>
    db.updateTable('panel_offers').where('panel_id', '=', panelId).where('kind', '=', kind).where('ref', '=', ref);
  for (const offer of seen) {
    const before = known.get(offer.ref);
    known.delete(offer.ref);
    const values = {
      name: offer.name,
      parent: offer.parent,
      body: JSON.stringify(offer.body),
      hash: offer.hash,
      seen_ms: nowMs,
      vanished_ms: null,
    };
    if (before) await at(offer.ref).set(values).execute();
    else
      await db
        .insertInto('panel_offers')
        .values({ ...values, panel_id: panelId, kind, ref: offer.ref, taken_hash: null, taken: null, first_ms: nowMs })
        .execute();
  }
  for (const { ref, taken_hash: takenHash, vanished_ms: vanishedMs } of known.values()) {
    if (takenHash === null)
      await db
        .deleteFrom('panel_offers')
        .where('panel_id', '=', panelId)
        .where('kind', '=', kind)
        .where('ref', '=', ref)
        .execute();
    else if (vanishedMs === null) await at(ref).set({ vanished_ms: nowMs }).execute();
  }
}
