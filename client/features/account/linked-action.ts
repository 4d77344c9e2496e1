import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import type { Api } from '#shared/contract/index.ts';

export type LinkedAnswer =
  /** The address of the provider's consent page. */
  | { readonly intent: 'linkDiscord' | 'linkService'; readonly result: FormResult<{ url: string }> }
  | { readonly intent: 'unlink'; readonly result: FormResult<null> };

/** Begins a link to Discord. */
export async function linkDiscord(api: Api, form: FormData): Promise<LinkedAnswer> {
  return { intent: 'linkDiscord', result: await toResult(form, () => api.linked.startDiscord()) };
}

/** Begins a link to a service that can be signed in with. */
export async function linkService(api: Api, form: FormData): Promise<LinkedAnswer> {
  const body = { provider: String(form.get('provider')) };
  return { intent: 'linkService', result: await toResult(form, () => api.linked.start({ body })) };
}

/** Removes a link. */
export async function unlink(api: Api, form: FormData): Promise<LinkedAnswer> {
  return {
    intent: 'unlink',
    result: await toResult(
      form,
      async () => (await api.linked.unlink({ params: { id: String(form.get('id')) } }), null),
    ),
  };
}

async function toResult<T>(form: FormData, work: () => Promise<T>): Promise<FormResult<T>> {
  try {
    return { ok: true, result: await work(), at: '' };
  } catch (error) {
    return toFormFailure(error, form);
  }
}
