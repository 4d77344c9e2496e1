import type { Bit, Ms } from './values.ts';

export interface ImageObjects {
  hash: string;
  key: string;
  store: string;
  type: string;
  width: number;
  height: number;
  bytes: number;
  bytes_all: number;
  used_ms: Ms;
}

export interface Images {
  id: string;
  user_id: string;
  upload_id: string;
  hash: string;
  name: string;
  name_key: string;
  bytes: number;
  price: number;
  views: number;
  hidden_ms: Ms | null;
  created_ms: Ms;
}

export interface ImageUsage {
  user_id: string;
  images: number;
  bytes: number;
}

export interface ImageTraffic {
  user_id: string;
  day: string;
  bytes: number;
}

export interface ImageKeys {
  user_id: string;
  key_hash: string;
  tail: string;
  created_ms: Ms;
  used_ms: Ms | null;
}

export interface ImageEmbeds {
  user_id: string;
  enabled: Bit;
  title: string;
  description: string;
  author: string;
  color: string;
}

export interface LibraryImages {
  id: string;
  hash: string;
  name: string;
  created_by: string;
  created_ms: Ms;
}

export interface ImagesTables {
  image_objects: ImageObjects;
  images: Images;
  image_usage: ImageUsage;
  image_traffic: ImageTraffic;
  image_keys: ImageKeys;
  image_embeds: ImageEmbeds;
  library_images: LibraryImages;
}
