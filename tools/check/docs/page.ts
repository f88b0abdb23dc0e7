/** A generated file: path from the workspace root, and its whole text. */
export interface Page {
  path: string;
  text: string;
}
