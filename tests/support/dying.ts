import type { UnitOfWork } from '#server/modules/tx.ts';

/** A database whose n-th command is the last that is heard of: before it is done, or after. */
export function dyingAt(uow: UnitOfWork, moment: number, after: boolean): UnitOfWork {
  let left = moment;
  return {
    read: (work) => uow.read(work),
    async run(work) {
      left -= 1;
      if (left < 0 || (left === 0 && !after)) throw new Error('killed');
      const done = await uow.run(work);
      if (left === 0) throw new Error('killed');
      return done;
    },
  };
}
