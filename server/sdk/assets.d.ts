/** Files that go into the binary as they are; imported with `{ type: 'text' }`. */
declare module '*.txt' {
  const text: string;
  export default text;
}
