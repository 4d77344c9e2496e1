import { DomainError } from '#shared/errors.ts';

/**
 * The one file of a body: a form's, whatever its field is called, or the body itself. In: the content type that was
 * sent, and the whole body. Throws BAD_REQUEST where a form is malformed or holds no file or several.
 */
export async function readFormFile(
  contentType: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<{ name: string; file: Uint8Array<ArrayBuffer> }> {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return { name: '', file: body };
  const form = await new Response(body, { headers: { 'Content-Type': contentType } }).formData().catch(() => null);
  const files = form ? Array.from<unknown>(form.values()).filter((value): value is File => value instanceof File) : [];
  const [file] = files;
  if (!file || files.length > 1) throw new DomainError('BAD_REQUEST');
  return { name: file.name, file: await file.bytes() };
}
