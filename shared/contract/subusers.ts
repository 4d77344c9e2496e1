import * as z from 'zod/mini';
import { id } from '../schemas/primitives.ts';
import { subuserInput, subuserRightsInput } from '../schemas/subuser.ts';
import { group } from './endpoint.ts';
import { activity, serverParams, sharedServerView, variableView } from './server-views.ts';

const subuserParams = z.object({ id, user: id });

/** Who works on servers of others. */
export const subusers = group({
  add: {
    method: 'POST',
    path: '/api/servers/:id/subusers',
    summary: 'Share a server',
    description:
      'The user works on it at once, and is notified. Rights that others need come with them. Renewing, resizing, ' +
      'deleting and sharing stay the owner’s.',
    params: serverParams,
    body: subuserInput,
    access: 'signed-in',
    verified: true,
    idempotent: true,
    limit: 'subuser',
    errors: [
      'NOT_FOUND',
      'SUBUSERS_UNAVAILABLE',
      'SUBUSER_IS_OWNER',
      'SUBUSER_EXISTS',
      'SUBUSER_LIMIT',
      'SHARED_SERVER_LIMIT',
      'ACCOUNT_UNVERIFIED',
    ],
  },
  setRights: {
    method: 'PUT',
    path: '/api/servers/:id/subusers/:user',
    summary: 'Change what a sub-user may do',
    params: subuserParams,
    body: subuserRightsInput,
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
  remove: {
    method: 'DELETE',
    path: '/api/servers/:id/subusers/:user',
    summary: 'Remove a sub-user',
    params: subuserParams,
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
  get: {
    method: 'GET',
    path: '/api/shared-servers/:id',
    summary: 'Get a server that is shared with you',
    description: 'To staff it answers with every server that runs on this installation’s own machine.',
    params: serverParams,
    access: 'signed-in',
    asStaff: 'admin.servers.list',
    errors: ['NOT_FOUND'],
    response: z.object({
      server: sharedServerView,
      /** The caller may do here, as staff, more than is shared with them. */
      as_staff: z.boolean(),
      activity,
      ports: z.array(z.string()),
      /** With their values now; none without the right `startup`. */
      variables: z.array(z.extend(variableView, { value: z.string() })),
    }),
  },
  leave: {
    method: 'DELETE',
    path: '/api/shared-servers/:id',
    summary: 'Leave a server that is shared with you',
    params: serverParams,
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
});
