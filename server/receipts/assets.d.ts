declare module '*.ttf' {
  /** Path of the file, inside the binary as well. */
  const path: string;
  export default path;
}
