export interface SettingsRepo {
  all(): Promise<{ key: string; value: string }[]>;
  put(key: string, value: string, atMs: number): Promise<void>;
}
