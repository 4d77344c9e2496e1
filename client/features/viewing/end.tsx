import type { ReactNode } from 'react';
import { redirect, redirectDocument } from 'react-router';
import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { href } from '#shared/routes/staff-href.ts';

/** Opening the address changes nothing (behaviour 1). */
export const loader = (): Response => redirect(href('dashboard'));

/** Ends viewing as a user, and goes back to their page: whole, as everything on the page was somebody else's. */
export async function action(args: ActionFunctionArgs): Promise<Response> {
  const { user_id: id } = await apiOf(args).viewing.end();
  return redirectDocument(id === null ? href('dashboard') : href('admin.users.edit', { id }));
}

/** /view-as/end: never rendered, because its loader redirects. */
export default function EndViewingScreen(): ReactNode {
  return null;
}
