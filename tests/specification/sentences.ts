import { document, rulesIn } from './documents.ts';

/**
 * The numbers of the sentences of the specification that concern the shell (sections 2 to 5 and 7 to 9, without
 * business features). A test that shows a sentence begins its name with that number: `S2.1 …`. sentences.test.ts fails
 * for a sentence without a test.
 */
export const SENTENCES: readonly string[] = rulesIn(document('product')).map(({ id }) => id);
