export * from './collectors';
export * from './read-for-scrape';
