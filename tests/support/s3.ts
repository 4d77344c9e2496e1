import { createHash, createHmac } from 'node:crypto';

const hash = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

/** What a stand-in does with its next request in place of the answer. */
export type S3Fault =
  | { readonly status: number }
  /** It says nothing at all. */
  | 'silent'
  /** It does what is asked, and the answer gets lost. */
  | 'lost'
  /** It gives half of the body. */
  | 'half';

/** A storage that speaks S3: signatures are proven by the letter of the specification, bodies by their hash. */
export interface S3StandIn extends AsyncDisposable {
  readonly url: string;
  readonly objects: Map<string, Buffer<ArrayBuffer>>;
  /** `METHOD name?query` of every request, refused ones too. */
  readonly requests: string[];
  /** Faults of requests to come; absent entries are fine. */
  readonly faults: { when: (request: string) => boolean; fault: S3Fault }[];
  /** Uploads that were begun and neither ended nor given up. */
  readonly uploads: Map<string, Map<number, Buffer>>;
}

export const S3_KEYS = { accessKey: 'AKIDEXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' } as const;
export const S3_BUCKET = 'backups';

/** The settings that lead to a stand-in. */
export const s3Settings = (s3: Pick<S3StandIn, 'url'>) => ({
  outbound_private_networks: true,
  backup_s3_endpoint: s3.url,
  backup_s3_bucket: S3_BUCKET,
  backup_s3_prefix: 'lantern/',
  backup_s3_access_key: S3_KEYS.accessKey,
  backup_s3_secret_key: S3_KEYS.secretKey,
});

/** Opens a stand-in with one bucket, on this machine. */
export function openS3(): S3StandIn {
  const objects = new Map<string, Buffer<ArrayBuffer>>();
  const uploads: S3StandIn['uploads'] = new Map();
  const requests: string[] = [];
  const faults: S3StandIn['faults'] = [];
  let made = 0;

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    const refusal = refusalOf(request, url, body);
    if (refusal) return refused(403, refusal);
    const [, bucket, ...rest] = decodeURIComponent(url.pathname).split('/');
    if (bucket !== S3_BUCKET) return refused(404, 'NoSuchBucket');
    const key = rest.join('/');
    const uploadId = url.searchParams.get('uploadId');
    if (key === '') return list(url.searchParams);
    if (request.method === 'POST' && url.searchParams.has('uploads')) {
      made += 1;
      uploads.set(`u${made}`, new Map());
      return xml(`<InitiateMultipartUploadResult><UploadId>u${made}</UploadId></InitiateMultipartUploadResult>`);
    }
    if (uploadId !== null) return ofUpload(request.method, { key, uploadId, url, body });
    const found = objects.get(key);
    if (request.method === 'DELETE') {
      objects.delete(key);
      return new Response(null, { status: 204 });
    }
    if (!found) return refused(404, 'NoSuchKey');
    const etag = `"${hash(found).slice(0, 32)}"`;
    if (request.method === 'HEAD') return new Response(found, { headers: { ETag: etag } });
    const match = request.headers.get('if-match');
    if (match !== null && match !== etag) return refused(412, 'PreconditionFailed');
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '') ?? [];
    return from === undefined
      ? new Response(found)
      : new Response(found.subarray(Number(from), Number(to) + 1), { status: 206 });
  }
  function ofUpload(
    method: string,
    { key, uploadId, url, body }: { key: string; uploadId: string; url: URL; body: Buffer },
  ): Response {
    const parts = uploads.get(uploadId);
    if (!parts) return refused(404, 'NoSuchUpload');
    if (method === 'DELETE') {
      uploads.delete(uploadId);
      return new Response(null, { status: 204 });
    }
    if (method === 'PUT') {
      parts.set(Number(url.searchParams.get('partNumber')), body);
      return new Response(null, { headers: { ETag: `"${hash(body).slice(0, 32)}"` } });
    }
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>"?(\w+)"?<\/ETag>/g)];
    const chosen = named.map(([, number, tag]) => {
      const part = parts.get(Number(number));
      return part && hash(part).slice(0, 32) === tag ? part : null;
    });
    // As the real one: a fault at the end comes with the status of a success.
    if (chosen.length === 0 || chosen.includes(null)) return xml('<Error><Code>InvalidPart</Code></Error>');
    objects.set(key, Buffer.concat(chosen.filter((part) => part !== null)));
    uploads.delete(uploadId);
    return xml('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
  }
  /** Two names a list, so that there is always another one to ask for. */
  function list(query: URLSearchParams): Response {
    const all = [...objects].filter(([key]) => key.startsWith(query.get('prefix') ?? '')).toSorted();
    const from = Number(query.get('continuation-token') ?? 0);
    const more = from + 2 < all.length;
    const contents = all
      .slice(from, from + 2)
      .map(([key, { length }]) => `<Contents><Key>${key}</Key><Size>${length}</Size></Contents>`);
    const next = more ? `<NextContinuationToken>${from + 2}</NextContinuationToken>` : '';
    return xml(`<ListBucketResult><IsTruncated>${more}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`);
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // A busy machine leaves a connection idle for seconds: nobody closes it meanwhile.
    idleTimeout: 0,
    async fetch(request) {
      const url = new URL(request.url);
      const named = `${request.method} ${url.pathname.replace(`/${S3_BUCKET}`, '').slice(1)}${url.search}`;
      requests.push(named);
      const at = faults.findIndex(({ when }) => when(named));
      const fault = at < 0 ? undefined : faults.splice(at, 1)[0]?.fault;
      if (fault === 'silent') return new Promise<Response>(() => undefined);
      if (typeof fault === 'object') return refused(fault.status, 'InternalError');
      const given = await answer(request);
      if (fault === 'lost') return refused(503, 'SlowDown');
      if (fault !== 'half') return given;
      const whole = Buffer.from(await given.arrayBuffer());
      return new Response(whole.subarray(0, whole.length >> 1), given);
    },
  });
  return {
    url: server.url.origin,
    objects,
    requests,
    faults,
    uploads,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

const xml = (text: string, status = 200) =>
  new Response(text, { status, headers: { 'Content-Type': 'application/xml' } });
const refused = (status: number, code: string) => xml(`<Error><Code>${code}</Code></Error>`, status);

/** Why a request is refused: its signature (AWS Signature Version 4) or the hash of its body; null where both fit. */
function refusalOf(request: Request, url: URL, body: Buffer): string | null {
  const [, key, scope, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      request.headers.get('authorization') ?? '',
    ) ?? [];
  if (!key || !scope || !names || !signature) return 'AccessDenied';
  if (key !== S3_KEYS.accessKey) return 'InvalidAccessKeyId';
  const date = request.headers.get('x-amz-date') ?? '';
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(Date.now() - at) < 900_000)) return 'RequestTimeTooSkewed';
  const payload = request.headers.get('x-amz-content-sha256') ?? '';
  if (payload !== hash(body)) return 'XAmzContentSHA256Mismatch';
  const signed = names.split(';');
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => signed.includes(name))) return 'AccessDenied';
  const canonical = [
    request.method,
    url.pathname
      .split('/')
      .map((part) => encoded(decodeURIComponent(part)))
      .join('/'),
    [...url.searchParams]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .toSorted()
      .join('&'),
    ...signed.map((name) => `${name}:${(request.headers.get(name) ?? '').trim()}`),
    '',
    names,
    payload,
  ].join('\n');
  const [day = '', region = '', service = ''] = scope.split('/');
  const signing = hmac(hmac(hmac(hmac(`AWS4${S3_KEYS.secretKey}`, day), region), service), 'aws4_request');
  const expected = hmac(signing, ['AWS4-HMAC-SHA256', date, scope, hash(canonical)].join('\n')).toString('hex');
  return expected === signature ? null : 'SignatureDoesNotMatch';
}
