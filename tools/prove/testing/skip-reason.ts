/** How a test that does not run says why: its title, or that of a `describe` around it, ends with this. */
const reasonPattern = /\(not run: (.+)\)$/;

interface NamedTest {
  ancestorTitles: readonly string[];
  title: string;
}

/** The reason that a skipped test's titles give; nothing when they give none. */
export function skipReason({ ancestorTitles, title }: NamedTest): string | undefined {
  return [title, ...ancestorTitles.toReversed()].map(text => reasonPattern.exec(text)?.[1]).find(reason => reason !== undefined);
}
