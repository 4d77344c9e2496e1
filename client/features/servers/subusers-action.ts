import type { ActionFunctionArgs } from 'react-router';
import * as z from 'zod/mini';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import { id } from '#shared/schemas/primitives.ts';
import { confirmedInput } from '#shared/schemas/server.ts';
import { subuserInput, subuserRightsInput } from '#shared/schemas/subuser.ts';

const INTENTS = ['addSubuser', 'setRights', 'removeSubuser'] as const;
export type SubuserIntent = (typeof INTENTS)[number];

/** Whether a form of the server's page is about its sub-users. */
export const isSubuserIntent = (intent: unknown): intent is SubuserIntent => INTENTS.some((each) => each === intent);

const rightsForm = z.extend(subuserRightsInput, { user_id: id });
const removalForm = z.extend(confirmedInput, { user_id: id });

/** The forms about sub-users: adding, changing rights, removing. */
export function subuserAction(args: ActionFunctionArgs, intent: SubuserIntent) {
  const api = apiOf(args).subusers;
  const server = args.params.id ?? '';
  switch (intent) {
    case 'addSubuser':
      return submitForm(args.request, subuserInput, async (body, key) => {
        await api.add({ params: { id: server }, body }, key ? { key } : {});
        return { intent };
      });
    case 'setRights':
      return submitForm(args.request, rightsForm, async ({ user_id: user, rights }) => {
        await api.setRights({ params: { id: server, user }, body: { rights } });
        return { intent };
      });
    case 'removeSubuser':
      return submitForm(args.request, removalForm, async ({ user_id: user }) => {
        await api.remove({ params: { id: server, user } });
        return { intent };
      });
  }
}
