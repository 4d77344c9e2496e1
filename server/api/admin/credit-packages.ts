import type { CrudHooks } from '#server/modules/crud/index.ts';
import { assertAmount } from '#server/modules/permit.ts';
import type { CreditPackageInput } from '#shared/resources/credit-packages.ts';
import type { SettingValues } from '#shared/settings.ts';

/** What credit packages add to the generic handlers: a limit on the credits of each (APPROVAL_REQUIRED). */
export function creditPackageHooks(settings: {
  current(): SettingValues;
}): CrudHooks<CreditPackageInput, CreditPackageInput> {
  return {
    // The tax rate, so that the form can show the price that players will see.
    options: async () => ({ price_minor: [{ value: String(settings.current().tax_rate), label: '' }] }),
    async beforeCreate(_, input, ctx) {
      assertAmount(ctx, settings.current(), input.credits + input.bonus);
      return {};
    },
    async beforeUpdate(_, input, __, ctx) {
      assertAmount(ctx, settings.current(), input.credits + input.bonus);
      return {};
    },
  };
}
