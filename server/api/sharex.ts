/** The version of ShareX whose syntax the file is written in: `{json:…}` (sharex, custom uploaders). */
const VERSION = '16.0.0';

/**
 * The file that sets up ShareX by a double click (`.sxcu`). In: the name and public address of the installation, and
 * the upload key. The key stands in a header: addresses are seen by others (attacks T42).
 */
export function sharexConfig({
  name,
  appUrl,
  uploadUrl,
  key,
}: Record<'name' | 'appUrl' | 'uploadUrl' | 'key', string>): {
  filename: string;
  text: string;
} {
  const host = new URL(appUrl).host.replaceAll(/[^\w.-]/g, '_');
  const config = {
    Version: VERSION,
    Name: `${name} (${host})`,
    DestinationType: 'ImageUploader',
    RequestMethod: 'POST',
    RequestURL: uploadUrl,
    Headers: { Authorization: `Bearer ${key}` },
    Body: 'MultipartFormData',
    FileFormName: 'file',
    URL: '{json:url}',
    ThumbnailURL: '{json:thumbnail_url}',
    DeletionURL: '{json:delete_url}',
    ErrorMessage: '{json:error.message}',
  };
  return { filename: `${host}.sxcu`, text: `${JSON.stringify(config, null, 2)}\n` };
}
