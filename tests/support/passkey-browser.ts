/** A browser with passkeys, for tests of components. Import it after `installDom()` (support/dom.ts). */
export interface PasskeyBrowser {
  /** What the API answers a browser that is to make one, or to use one. */
  readonly creationOptions: object;
  readonly requestOptions: object;
  /** What the browser sends for a passkey that was made, and for one that was used. */
  readonly made: object;
  readonly proof: object;
  /** Has every ceremony fail with an error of this name; null: none. */
  refuse(name: string | null): void;
  readonly restore: () => void;
}

const bytes = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer;
const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** Puts authenticators into the test's document, and offers none in lists. */
export function stubPasskeys(): PasskeyBrowser {
  let refused: string | null = null;
  const perform = async (response: object): Promise<object> => {
    if (refused !== null) throw new DOMException('refused by the test', refused);
    return {
      id: base64url('credential'),
      rawId: bytes('credential'),
      type: 'public-key',
      response,
      getClientExtensionResults: () => ({}),
    };
  };
  const credentials = {
    create: () =>
      perform({
        clientDataJSON: bytes('made'),
        attestationObject: bytes('attestation'),
        getTransports: () => ['internal'],
        getPublicKeyAlgorithm: () => -7,
        getPublicKey: () => bytes('key'),
        getAuthenticatorData: () => bytes('data'),
      }),
    get: () =>
      perform({
        clientDataJSON: bytes('used'),
        authenticatorData: bytes('data'),
        signature: bytes('signature'),
        userHandle: bytes('user'),
      }),
  };
  const ability = Object.assign(() => undefined, { isConditionalMediationAvailable: async () => false });
  const before = Object.getOwnPropertyDescriptor(navigator, 'credentials');
  Object.defineProperty(globalThis, 'PublicKeyCredential', { value: ability, configurable: true, writable: true });
  Object.defineProperty(navigator, 'credentials', { value: credentials, configurable: true });
  const challenge = base64url('challenge');
  return {
    creationOptions: {
      challenge,
      rp: { id: 'panel.example', name: 'Spawnpoint' },
      user: { id: base64url('user'), name: 'mirela.v', displayName: '' },
      pubKeyCredParams: [{ alg: -7, type: 'public-key' }],
    },
    requestOptions: { challenge, rpId: 'panel.example' },
    made: {
      id: base64url('credential'),
      client_data: base64url('made'),
      attestation: base64url('attestation'),
      transports: ['internal'],
    },
    proof: {
      id: base64url('credential'),
      client_data: base64url('used'),
      authenticator_data: base64url('data'),
      signature: base64url('signature'),
      user_handle: base64url('user'),
    },
    refuse: (name) => void (refused = name),
    restore() {
      Reflect.deleteProperty(globalThis, 'PublicKeyCredential');
      if (before) Object.defineProperty(navigator, 'credentials', before);
      else Reflect.deleteProperty(navigator, 'credentials');
    },
  };
}
