import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.common.record.TimestampType;

/**
 * Writes batches.json: 20 tasks from offset 100 on, in each message format and codec, as Kafka's own library writes them.
 * Run with its jars: java -cp ".recency/kafka-4.1.1-with-logger/*" test/support/java/Batches.java > test/support/java/batches.json
 */
public class Batches {
  static final long TIME = 1_700_000_000_000L;

  public static void main(String[] args) {
    Map<String, String> found = new TreeMap<>();
    for (byte magic = 0; magic <= 2; magic++) {
      for (CompressionType codec : CompressionType.values()) {
        if (magic < 2 && codec == CompressionType.ZSTD) continue;
        found.put(magic + " " + codec.name, Base64.getEncoder().encodeToString(batch(magic, codec)));
      }
    }
    StringBuilder json = new StringBuilder("{");
    found.forEach((name, bytes) -> json.append(json.length() > 1 ? "," : "").append("\n  \"" + name + "\": \"" + bytes + "\""));
    System.out.println(json.append("\n}"));
  }

  static byte[] batch(byte magic, CompressionType codec) {
    MemoryRecordsBuilder builder = MemoryRecords.builder(
        ByteBuffer.allocate(65_536), magic, Compression.of(codec).build(), TimestampType.CREATE_TIME, 100, magic == 0 ? -1 : TIME);
    for (int i = 0; i < 20; i++) {
      byte[] key = i % 7 == 0 ? null : ("k" + i).getBytes();
      String task = "{\"type\":\"recency.contact.added\",\"user\":\"" + (42 + i) + "\",\"contact\":\"7\"}";
      byte[] value = i % 11 == 5 ? null : task.getBytes();
      if (magic < 2) builder.append(magic == 0 ? -1 : TIME + i, key, value);
      else builder.append(new SimpleRecord(TIME + i, key, value, headers(i)));
    }
    ByteBuffer written = builder.build().buffer().duplicate();
    byte[] bytes = new byte[written.remaining()];
    written.get(bytes);
    return bytes;
  }

  static Header[] headers(int i) {
    return new Header[] {
      new RecordHeader("ce_id", ("e" + i).getBytes()),
      new RecordHeader("ce_id", "second".getBytes()),
      new RecordHeader("none", (byte[]) null),
    };
  }
}
