import { createTestMail } from '../modules/mailing/index.ts';
import { createSetupGuide } from '../modules/setup-guide/index.ts';
import type { Catalog } from '../modules/catalog/index.ts';
import type { Foundation } from './foundation.ts';
import { composeMailTransport } from './mail.ts';

interface Deps extends Foundation {
  /** `embedded`: there is a panel inside. */
  readonly driver: string;
  readonly catalog: Catalog;
}

/** The way out for e-mails, and the guide through the first hour of a host, which tries it. */
export function composeSetupGuide(deps: Deps) {
  const mailTransport = composeMailTransport(deps.mailServer);
  const sendTestMail = createTestMail({ ...deps, transport: mailTransport });
  return {
    mailTransport,
    setupGuide: createSetupGuide({ ...deps, seedSample: deps.catalog.seedSample, sendTestMail }),
  };
}
