package com.paycode.receiver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A store in a folder, for all processes of one machine: a file per notification (one byte until it is done), and one per reversed payment. */
public final class FileStore implements Store {
  private final Path folder;
  private final Duration claimFor;

  public FileStore(Path folder) throws IOException {
    this(folder, Duration.ofMinutes(1));
  }

  public FileStore(Path folder, Duration claimFor) throws IOException {
    this.folder = Files.createDirectories(folder);
    this.claimFor = claimFor;
  }

  @Override
  public Claim claim(Notification notification) throws IOException {
    Path mark = folder.resolve("reversed-" + notification.paymentId());
    if (notification.status().equals("REVERSED")) created(mark);
    Claim claim = take(file(notification.transactionId()));
    // Checked after the claim, so that a reversal that this check misses comes later than our claim.
    if (!notification.status().equals("SUCCESS") || !Files.exists(mark)) return claim;
    if (claim == Claim.NEW) release(notification.transactionId());
    return Claim.REVERSED;
  }

  @Override
  public void done(long transactionId) throws IOException {
    // Not truncated: the file keeps its room on the disk.
    Files.writeString(file(transactionId), "DONE", StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.SYNC);
  }

  @Override
  public void release(long transactionId) throws IOException {
    Files.deleteIfExists(file(transactionId));
  }

  @Override
  public List<Long> pending() throws IOException {
    List<Long> ids = new ArrayList<>();
    try (var files = Files.newDirectoryStream(folder, path -> path.getFileName().toString().matches("\\d+"))) {
      for (Path file : files) if (isAbandoned(look(file))) ids.add(Long.valueOf(file.getFileName().toString()));
    }
    return ids;
  }

  private Claim take(Path file) throws IOException {
    if (created(file)) return Claim.NEW;
    BasicFileAttributes found = look(file);
    if (found != null && found.size() > 1) return Claim.DONE;
    if (!isAbandoned(found)) return Claim.BUSY;
    // Of several callers that find the same old claim, the one that creates this file takes it over.
    String takenOver = file.getFileName() + "-taken-over-" + found.lastModifiedTime().toMillis();
    if (!created(folder.resolve(takenOver))) return Claim.BUSY;
    Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis()));
    return Claim.NEW;
  }

  /** False when the file exists already: the file system lets one of several callers create it. Its byte needs room: a full disk fails before the work. */
  private static boolean created(Path file) throws IOException {
    if (!file.toFile().createNewFile()) return false;
    try {
      Files.writeString(file, "-", StandardOpenOption.WRITE);
      return true;
    } catch (IOException full) {
      Files.deleteIfExists(file);
      throw full;
    }
  }

  private boolean isAbandoned(BasicFileAttributes found) {
    return found != null && found.size() <= 1 && System.currentTimeMillis() - found.lastModifiedTime().toMillis() > claimFor.toMillis();
  }

  /** Null when the claim was just released. */
  private static BasicFileAttributes look(Path file) throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class);
    } catch (NoSuchFileException released) {
      return null;
    }
  }

  private Path file(long transactionId) {
    return folder.resolve(Long.toString(transactionId));
  }
}
