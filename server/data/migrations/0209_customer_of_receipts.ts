import { define, type Migration } from './migration.ts';

/** Who a receipt is for is its customer, as it says itself; the look at this machine, by the clock, is an inspection. */
export const customerOfReceipts: Migration = {
  name: '0209_customer_of_receipts',
  up: (step) =>
    define(step, [
      // As `JSON.stringify` writes it: inside a value its quotes would be escaped.
      `UPDATE payment_receipts SET facts = replace(facts, '"buyer":{', '"customer":{')`,
      "UPDATE schedules SET name = 'machine.inspect' WHERE name = 'machine.look'",
    ]),
};
