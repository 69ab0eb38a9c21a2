import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.Deflater;

/** Objects for the collector, and memory outside its heap from several threads. */
public class Job {
    static long compressed(int seed) {
        byte[] text = new byte[200_000];
        for (int i = 0; i < text.length; i++) text[i] = (byte) (i * seed % 61);
        long sum = 0;
        for (int round = 0; round < 60; round++) {
            Deflater deflater = new Deflater();
            deflater.setInput(text);
            deflater.finish();
            byte[] into = new byte[300_000];
            sum += deflater.deflate(into) + ByteBuffer.allocateDirect(1000 + round).capacity();
            deflater.end();
        }
        return sum;
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, List<Integer>> table = new TreeMap<>();
        for (int i = 0; i < 1_500_000; i++)
            table.computeIfAbsent("k" + (i * 7919L % 50021), key -> new ArrayList<>()).add(i);
        long sum = 0;
        for (List<Integer> values : table.values()) sum = sum * 31 + values.size();
        var threads = Executors.newFixedThreadPool(4);
        List<Future<Long>> parts = new ArrayList<>();
        for (int seed = 1; seed < 9; seed++) {
            int mine = seed;
            parts.add(threads.submit(() -> compressed(mine)));
        }
        for (Future<Long> part : parts) sum = sum * 31 + part.get();
        threads.shutdown();
        System.out.println(sum);
    }
}
