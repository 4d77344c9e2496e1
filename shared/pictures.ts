/** Pictures of the installation: what they are for, and the forms in which each is kept. */
export const SETTING_PICTURES = ['logo', 'icon', 'hero', 'background', 'preview'] as const;
export const PICTURE_KINDS = [...SETTING_PICTURES, 'announcement', 'egg', 'category'] as const;
export type SettingPicture = (typeof SETTING_PICTURES)[number];
export type PictureKind = (typeof PICTURE_KINDS)[number];

/** A form of a picture: it is never larger than this, and never enlarged to it. */
interface PictureForm {
  readonly name: string;
  /** Most pixels across and down; the picture keeps its shape. */
  readonly width: number;
  readonly height: number;
  /** PNG where a browser or a phone asks for it, JPEG for previews of links, which not every service reads as WebP. */
  readonly type: 'image/webp' | 'image/png' | 'image/jpeg';
}
const form = (name: string, width: number, height: number, type: PictureForm['type'] = 'image/webp'): PictureForm => ({
  name,
  width,
  height,
  type,
});

/** The forms of each kind, the largest first. */
export const PICTURE_FORMS: Readonly<Record<PictureKind, readonly [PictureForm, ...PictureForm[]]>> = {
  logo: [form('whole', 480, 160)],
  // 512 and 192 are what installed pages need, 64 the tab.
  icon: [form('512', 512, 512, 'image/png'), form('192', 192, 192, 'image/png'), form('64', 64, 64, 'image/png')],
  hero: [form('wide', 1600, 1600), form('narrow', 800, 800)],
  background: [form('wide', 2560, 1600), form('narrow', 1280, 1280)],
  preview: [form('whole', 1200, 1200, 'image/jpeg')],
  // In a text, on a card, and in what other services show of a link.
  announcement: [form('wide', 1600, 1600), form('card', 720, 720), form('link', 1200, 1200, 'image/jpeg')],
  egg: [form('whole', 384, 384), form('small', 96, 96)],
  category: [form('whole', 384, 384), form('small', 96, 96)],
};

/**
 * Every kind of picture that is drawn, with its forms, the largest first: those of the installation, and those that
 * users attach to messages, small for the conversation and whole for whoever opens it.
 */
export const DRAWN_FORMS = {
  ...PICTURE_FORMS,
  attachment: [form('whole', 2560, 2560), form('preview', 480, 360)],
} as const satisfies Readonly<Record<string, readonly [PictureForm, ...PictureForm[]]>>;
export type DrawnKind = keyof typeof DRAWN_FORMS;

/** Bytes of a file that is uploaded, and pixels that it may unpack to (attacks T42). */
export const PICTURE_MAX_BYTES = 8 * 1024 * 1024;
export const PICTURE_MAX_PIXELS = 24_000_000;
/** Pixels of each side that an icon has at least: installed pages show it large. */
export const ICON_MIN = 192;
/** What browsers offer to choose from; the file's own bytes decide. */
export const PICTURE_TYPES = 'image/png,image/jpeg,image/webp';
/** Content type of an upload. */
export const PICTURE_UPLOAD_TYPE = 'application/octet-stream';
