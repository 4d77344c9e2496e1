/** The field of a form that carries what an authenticator gave. Internal: it is never given back. */
export const PASSKEY_FIELD = '_passkey';
