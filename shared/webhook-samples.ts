/**
 * How receivers verify a request, as the documentation shows it (/docs/webhooks). Both are run by a test against
 * requests of the product.
 */
export const VERIFY_TYPESCRIPT = `import { createHmac, timingSafeEqual } from 'node:crypto';

// secret: "whsec_…"; body: the text as it came, before JSON.parse.
export function verify(secret: string, headers: Record<string, string>, body: string): unknown {
  const id = headers['webhook-id'] ?? '';
  const timestamp = headers['webhook-timestamp'] ?? '';
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) throw new Error('too old');

  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${body}\`).digest();
  const signatures = (headers['webhook-signature'] ?? '').split(' ');
  const genuine = signatures.some((signature) => {
    const [version, text = ''] = signature.split(',');
    const given = Buffer.from(text, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!genuine) throw new Error('wrong signature');
  return JSON.parse(body);
}`;

export const VERIFY_PYTHON = `import base64, hashlib, hmac, json, time

# secret: "whsec_…"; body: the text as it came, before json.loads.
def verify(secret: str, headers: dict[str, str], body: str) -> dict:
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        raise ValueError("too old")

    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.{body}".encode()
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(signature, expected) for signature in signatures):
        raise ValueError("wrong signature")
    return json.loads(body)`;
