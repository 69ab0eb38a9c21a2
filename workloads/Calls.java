// Work whose memory is the C library's, from the interpreter, from compiled methods and from
// the virtual machine's own threads.
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

public class Calls {
    static long work(int turn) throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 2000; i++) text.append('n').append(i).append(turn);
        byte[] plain = text.toString().getBytes();
        byte[] packed = new byte[plain.length];
        Deflater deflater = new Deflater();
        deflater.setInput(plain);
        deflater.finish();
        int bytes = deflater.deflate(packed);
        deflater.end();
        Inflater inflater = new Inflater();
        inflater.setInput(packed, 0, bytes);
        long sum = inflater.inflate(plain);
        inflater.end();
        try (var entries = Files.list(Path.of("/"))) {
            sum += entries.count();
        }
        return sum + ByteBuffer.allocateDirect(4096).capacity();
    }

    public static void main(String[] arguments) throws Exception {
        long sum = 0;
        for (int turn = 0; turn < 1500; turn++) sum += work(turn);
        System.out.println(sum);
    }
}
