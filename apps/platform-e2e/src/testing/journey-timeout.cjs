// A journey waits for processes to start and payments to end; each wait inside is bounded and says what did not happen.
jest.setTimeout(900_000);
