export * from './certificate-files';
