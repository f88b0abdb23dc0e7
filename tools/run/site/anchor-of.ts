/** The anchor of a heading, as code forges make it: lower case, spaces to dashes, punctuation dropped. The site's pages have the same ones. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
